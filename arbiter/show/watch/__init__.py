"""Games watched on a terminal.  The only package that uses textual; it knows no files and no store."""
