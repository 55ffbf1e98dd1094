"""The command line. `main` is the program; each command has a module of its own.

Modules that `greenroom --help` needs import nothing heavy: what plays and reports is imported when a command runs.
"""
