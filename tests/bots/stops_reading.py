"""Reads the question for its setup, answers it, makes its pipe small and never reads again."""

import fcntl
import time

from base import Bot


class Deaf(Bot):
    wants = ("legal", "view")

    def answer(self, ask):
        fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
        super().answer(ask)
        time.sleep(3600)


Deaf().run()
