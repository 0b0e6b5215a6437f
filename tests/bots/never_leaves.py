"""Stays when it is told to go."""

import time

from base import Bot


class Guest(Bot):
    def bye(self):
        time.sleep(3600)


Guest().run()
