"""A recorded game as frames, sentences and plain text."""
