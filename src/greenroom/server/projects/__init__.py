"""Projects: what agents, tests, keys and runs belong to."""
