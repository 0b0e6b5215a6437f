"""`arbiter check`: test a bot before its first tournament and explain its mistakes to its author."""
