"""Tables about a run: its state, its progress, what went wrong, and the machines."""
