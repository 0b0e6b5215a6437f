"""Measurements of speed and strength: `python -m benchmarks` lists them."""
