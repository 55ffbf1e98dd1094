"""The service: agents, tests and runs of many people, kept in a database and played by the same engine."""
