"""Sends an unknown field with terminal escape codes in its name."""

from base import Bot


class UnknownFieldWithEscapeCodes(Bot):
    def build_act(self, ask):
        return super().build_act(ask) | {"\x1b[2J" + "\x9b31m" * 100: 1}


UnknownFieldWithEscapeCodes().run()
