"""Labels: whether the judge was right, and how often it is."""
