"""Reads and answers the question for its deployment, makes its pipe small and never reads again."""

import fcntl
import time

from base import Bot


class StopsReading(Bot):
    wants = ("legal", "view")

    def answer_ask(self, ask):
        fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
        super().answer_ask(ask)
        time.sleep(3600)


StopsReading().run()
