"""Makes its pipe as small as it can and reads its questions late, to think between the halves of a line."""

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
                self.hear(json.loads(line))


SlowReader().run()
