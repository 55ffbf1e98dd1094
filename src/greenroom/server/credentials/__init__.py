"""Credentials: the accounts of model providers, kept encrypted."""
