"""What arbiter and bots say to each other.  Imports nothing of the arbiter."""
