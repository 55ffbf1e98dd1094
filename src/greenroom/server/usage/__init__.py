"""What a project used, day by day, for as long as the project is there."""
