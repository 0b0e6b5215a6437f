"""Writes its answer one byte every tenth of a second."""

import json
import time

from base import Bot


class OneByteAtATime(Bot):
    def answer_ask(self, ask):
        if ask["phase"] == "setup":
            return super().answer_ask(ask)
        for byte in json.dumps(self.build_act(ask)).encode() + b"\n":
            self.write(bytes([byte]))
            time.sleep(0.1)
        return None


OneByteAtATime().run()
