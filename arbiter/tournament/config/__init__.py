"""Tournament files: read, check and resolve them."""
