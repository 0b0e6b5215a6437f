"""Writes half an answer to its first move and then nothing."""

from base import Bot


class HalfALine(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "setup":
            super().answer_ask(ask)
        else:
            self.write(b'{"type":"act",')


HalfALine().run()
