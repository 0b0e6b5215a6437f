"""Speaks another version of the protocol."""

from base import Bot


class Modern(Bot):
    def ready(self):
        return super().ready() | {"protocol": 2}


Modern().run()
