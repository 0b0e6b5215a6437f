"""Prints a banner on stdout before the first question."""

from base import Bot

print("Walker 1.0 (c) 2026", flush=True)
Bot().run()
