"""Recorded answers that a later run replays instead of asking: of models, of real tools and of remote agents."""
