"""Answers with the number of the previous question."""

from base import Bot


class OldNumber(Bot):
    def answer_ask(self, ask):
        super().answer_ask(ask if ask["phase"] == "setup" else ask | {"ask": ask["ask"] - 1})


OldNumber().run()
