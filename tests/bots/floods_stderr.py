"""Writes a megabyte to stderr while it deploys and a little at each move; otherwise a correct bot."""

import sys

from base import Bot


class FloodsStderr(Bot):
    def choose_deployment(self):
        sys.stderr.write("first words\n" + "x" * 1_000_000 + "\n")
        return super().choose_deployment()

    def choose_action(self, ask):
        sys.stderr.write(f"asked {ask['ask']}\n")
        return super().choose_action(ask)

    def exit(self):
        sys.stderr.write("last words\n")
        super().exit()


FloodsStderr().run()
