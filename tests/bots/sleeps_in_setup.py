"""Thinks for ever about its deployment."""

import time

from base import Bot


class Sleeper(Bot):
    def deployment(self):
        time.sleep(3600)


Sleeper().run()
