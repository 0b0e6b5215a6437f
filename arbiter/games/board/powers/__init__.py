"""What a piece or a player may do beside moving: one power a file, with its actions, its facts and who is told."""
