"""Answers its first move when the game is over."""

from base import Bot


class Late(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "setup":
            super().answer_ask(ask)
        else:
            self.question = ask

    def end_game(self, message):
        super().answer_ask(self.question)


Late().run()
