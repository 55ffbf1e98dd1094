"""Requests that may be sent twice and are carried out once."""
