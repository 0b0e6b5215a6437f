"""Thinks for ever about its first move."""

import time

from base import Bot


class Sleeper(Bot):
    def action(self, ask):
        time.sleep(3600)


Sleeper().run()
