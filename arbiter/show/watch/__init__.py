"""A game watched on a terminal: the one room that knows textual, and nothing of files and stores."""
