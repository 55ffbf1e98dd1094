"""The same talks in other tools, as ratios to Greenroom: `python -m benchmarks.others` prints one table."""
