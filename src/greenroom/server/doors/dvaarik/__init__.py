"""The door `dvaarik`: typed rehearsals of an agent with a simulated caller, and checks on them."""
