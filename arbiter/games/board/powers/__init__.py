"""Powers: what a player may do besides moving."""
