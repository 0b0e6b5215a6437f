"""One game between two processes."""
