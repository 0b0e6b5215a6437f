"""Says that it is there and waits until its stdin is closed."""

import sys

print("here", flush=True)
sys.stdin.buffer.read()
