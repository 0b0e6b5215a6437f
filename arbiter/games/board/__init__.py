"""The board games: one engine for all rule sets."""
