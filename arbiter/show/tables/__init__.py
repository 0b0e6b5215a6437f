"""Tables and lines of text for the terminal and for programs."""
