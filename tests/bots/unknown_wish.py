"""Sends an unknown word in `wants`."""

from base import Bot


class UnknownWish(Bot):
    wants = ("legal", "opponents_pieces")


UnknownWish().run()
