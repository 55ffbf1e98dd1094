"""The record of who changed what."""
