"""Seasons: several events as one, with points for each event, divisions, ratings and records."""
