"""Complete games from the knowledge of one player."""
