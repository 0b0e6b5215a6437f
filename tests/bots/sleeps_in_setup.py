"""Thinks forever about its deployment."""

import time

from base import Bot


class SleepsInSetup(Bot):
    def choose_deployment(self):
        time.sleep(3600)


SleepsInSetup().run()
