"""Ratings and sequential tests: pure functions of pairs of games."""
