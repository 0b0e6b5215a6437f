"""Prints `here` and waits until its stdin is closed."""

import sys

print("here", flush=True)
sys.stdin.buffer.read()
