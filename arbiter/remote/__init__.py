"""Programs that play over the network from their authors' machines."""
