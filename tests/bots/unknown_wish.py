"""Wants something that nobody offers."""

from base import Bot


class Wishful(Bot):
    wants = ("legal", "opponents_pieces")


Wishful().run()
