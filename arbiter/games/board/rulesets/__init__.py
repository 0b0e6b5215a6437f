"""The rule sets of the board games: small files, each with the differences from another rule set."""
