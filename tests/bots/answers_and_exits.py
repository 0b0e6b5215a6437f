"""Answers its first move and exits at once."""

import sys

from base import Bot


class AnswersAndExits(Bot):
    def answer_ask(self, ask):
        super().answer_ask(ask)
        if ask["phase"] == "turn":
            sys.exit(0)


AnswersAndExits().run()
