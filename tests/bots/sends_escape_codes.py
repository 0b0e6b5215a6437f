"""Sends terminal escape codes in every text that is stored."""

from base import Bot

CODES = "\x1b[2J\x1b[31mred\x07"


class SendsEscapeCodes(Bot):
    def build_ready(self):
        return super().build_ready() | {"name": CODES, "version": CODES, "author": CODES}

    def build_act(self, ask):
        return super().build_act(ask) | {"note": CODES}


SendsEscapeCodes().run()
