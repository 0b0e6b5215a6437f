"""Bots to learn from and to play against.  Only the searcher imports of the arbiter: its rules, to draw games."""
