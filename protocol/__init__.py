"""The wire protocol of arbiter and bots.  Imports nothing of the arbiter."""
