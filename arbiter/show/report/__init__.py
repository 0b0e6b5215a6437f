"""A tournament as web pages that need no server; independent of the store, the schedule and the command line."""
