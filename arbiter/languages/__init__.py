"""The texts of the arbiter in every language."""
