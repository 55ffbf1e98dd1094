"""Runs: started, played by a worker, followed live, stopped and listed."""
