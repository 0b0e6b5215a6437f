"""The rules of all games: no processes, files or clocks, and random choices only from a seed."""
