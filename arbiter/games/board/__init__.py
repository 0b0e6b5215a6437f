"""The board family: one engine, a rule set is a frozen value."""
