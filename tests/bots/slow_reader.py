"""Makes its pipe as small as possible and reads questions late, so that a question is written in two parts."""

import fcntl
import json
import os
import time

from base import Bot


class SlowReader(Bot):
    wants = ("legal", "view")

    def run(self):
        fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
        rest = b""
        while chunk := os.read(0, 4000):
            rest += chunk
            if len(chunk) == 4000 and b'"phase":"turn"' in chunk:
                time.sleep(0.25)
            *lines, rest = rest.split(b"\n")
            for line in lines:
                self.receive(json.loads(line))


SlowReader().run()
