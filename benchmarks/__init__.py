"""What Greenroom costs, measured against a hand-written loop: `python -m benchmarks` prints one table."""
