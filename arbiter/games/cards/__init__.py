"""The card game: its rules as a value, its play, an act a file."""
