"""A rule set with a piece, a power, an action and a fact of its own, which the arbiter does not know."""
