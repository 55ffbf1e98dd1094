"""The door `zavu`: an agent is asked for one reply, which is delivered to nobody and recorded nowhere."""
