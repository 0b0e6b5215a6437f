"""The card game."""
