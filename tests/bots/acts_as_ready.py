"""Answers `hello` with an `act`."""

from base import Bot, move


class ActsAsReady(Bot):
    def answer_hello(self):
        self.send({"type": "act", "ask": 1, "action": move("a4", "a5")})


ActsAsReady().run()
