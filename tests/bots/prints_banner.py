"""Greets the world on stdout before it is asked anything."""

from base import Bot

print("Walker 1.0 (c) 2026", flush=True)
Bot().run()
