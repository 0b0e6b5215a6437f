"""A tournament's pages on the web while it is played: read-only; knows no store, no referee and no command line."""
