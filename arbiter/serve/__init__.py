"""Read-only web pages of a tournament while it is played; independent of store, referee and command line."""
