"""Read-only web pages of a tournament while it is played; independent of the store, the referee and the command line."""
