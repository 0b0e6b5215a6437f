"""Does not exit after `bye`."""

import time

from base import Bot


class NeverExits(Bot):
    def exit(self):
        time.sleep(3600)


NeverExits().run()
