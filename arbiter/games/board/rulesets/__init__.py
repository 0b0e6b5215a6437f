"""The rule sets of the board games: one file each, with its differences from another."""
