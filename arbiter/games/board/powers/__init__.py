"""Powers: what a player may do besides moving, one power in each file."""
