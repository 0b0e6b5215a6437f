"""Writes a megabyte on stderr during its setup and a little at each move; otherwise an honest bot."""

import sys

from base import Bot


class Chatty(Bot):
    def deployment(self):
        sys.stderr.write("first words\n" + "x" * 1_000_000 + "\n")
        return super().deployment()

    def action(self, ask):
        sys.stderr.write(f"asked {ask['ask']}\n")
        return super().action(ask)

    def bye(self):
        sys.stderr.write("last words\n")
        super().bye()


Chatty().run()
