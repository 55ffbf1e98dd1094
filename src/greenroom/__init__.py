"""Greenroom tests conversational agents before they take real calls."""
