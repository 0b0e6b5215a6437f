"""Sends another version of the protocol."""

from base import Bot


class WrongVersion(Bot):
    def build_ready(self):
        return super().build_ready() | {"protocol": 2}


WrongVersion().run()
