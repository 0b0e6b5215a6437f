"""Has the codes of a terminal in the name of a field that nobody knows."""

from base import Bot


class Sneak(Bot):
    def act(self, ask):
        return super().act(ask) | {"\x1b[2J" + "\x9b31m" * 100: 1}


Sneak().run()
