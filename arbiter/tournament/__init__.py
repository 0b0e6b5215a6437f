"""Many games: what to play, playing it, keeping it, counting it."""
