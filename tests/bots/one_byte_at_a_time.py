"""Writes its answer a byte every tenth of a second."""

import json
import time

from base import Bot


class Slow(Bot):
    def answer(self, ask):
        if ask["phase"] == "setup":
            return super().answer(ask)
        for byte in json.dumps(self.act(ask)).encode() + b"\n":
            self.write(bytes([byte]))
            time.sleep(0.1)
        return None


Slow().run()
