"""Answers under the number of the question before."""

from base import Bot


class Behind(Bot):
    def answer(self, ask):
        super().answer(ask if ask["phase"] == "setup" else ask | {"ask": ask["ask"] - 1})


Behind().run()
