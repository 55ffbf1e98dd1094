"""What pages of the console are made of."""
