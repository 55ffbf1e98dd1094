"""What plays the talks in each of the other tools. Each runs in that tool's own environment, never in Greenroom's."""
