"""Falls over a bug of its own at its first move."""

from base import Bot


class Buggy(Bot):
    def action(self, ask):
        return {}["the best move"]


Buggy().run()
