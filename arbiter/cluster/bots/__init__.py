"""The bots of a run on other machines: their files, and their start before the first game."""
