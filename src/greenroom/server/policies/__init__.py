"""The limits and billing habits that hold for runs, as data."""
