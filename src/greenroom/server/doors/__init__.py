"""The doors: documented APIs of other platforms, each served under its own prefix over the same rooms.

A door is schemas, a mapping and routes, and decides nothing about a talk. Doors never import each other; what they
share is in `door.py` (what a door is) and `opening.py` (how it becomes part of the app).
"""
