"""Tournament files: read, checked and resolved."""
