"""How many requests and sign-ins a minute there may be."""
