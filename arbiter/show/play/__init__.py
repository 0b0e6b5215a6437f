"""The pages on which people play in a browser."""
