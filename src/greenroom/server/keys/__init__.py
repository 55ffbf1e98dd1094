"""Keys: how programs come in."""
