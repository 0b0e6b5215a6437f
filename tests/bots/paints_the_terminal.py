"""Has the codes of a terminal in all that is kept of it."""

from base import Bot

CODES = "\x1b[2J\x1b[31mred\x07"


class Painter(Bot):
    def ready(self):
        return super().ready() | {"name": CODES, "version": CODES, "author": CODES}

    def act(self, ask):
        return super().act(ask) | {"note": CODES}


Painter().run()
