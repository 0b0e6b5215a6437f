"""A bot examined before its first tournament: what a tournament would punish, said in its author's words."""
