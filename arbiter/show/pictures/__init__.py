"""Boards as pictures: SVG, and pixels for PNG and GIF."""
