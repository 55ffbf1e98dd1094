"""What things are: agents, tests, checks, runs, and what passes between the engine and a model.

Pure data and rules. Nothing here does I/O, reads a clock or knows a framework other than pydantic.
"""
