"""Answers the greeting with an act."""

from base import Bot, move


class Eager(Bot):
    def greet(self):
        self.say({"type": "act", "ask": 1, "action": move("a4", "a5")})


Eager().run()
