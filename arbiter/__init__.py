"""A neutral referee and tournament arbiter for the Stratego family of games."""

__version__ = "0.1.0"
"""The version of the project; pyproject.toml reads it here."""
