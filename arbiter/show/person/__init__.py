"""A person's side of a game: what is shown, what is typed.  It knows no terminal and no process."""
