"""Plays its first game well; its argument names what goes wrong when it should play a second one in one process.

The note of its first action is the number of the game in this process, and its stderr names the beginning and the end
of each game.
"""

import json
import os
import signal
import sys
import time

from base import Bot


class SecondGame(Bot):
    name = "second"
    fault = sys.argv[1] if sys.argv[1:] else ""

    def __init__(self):
        super().__init__()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        self.game = 0
        self.asked = 0

    def start_game(self, start):
        super().start_game(start)
        self.game += 1
        self.asked = 0
        self.log("begins")
        if self.game > 1:
            if self.fault == "exits at start":
                sys.exit()
            if self.fault == "prints at start":
                self.write(b"hello again\n")

    def build_act(self, ask):
        self.asked += 1
        act = super().build_act(ask) | {"note": str(self.game)}
        if self.game > 1 and self.fault == "counts on":
            act["ask"] += 100
        if self.game == 2 and self.asked == 3:
            if self.fault == "crashes":
                raise RuntimeError("no state left")
            if self.fault == "cheats":
                act["action"] = {"type": "move", "src": "a1", "dst": "a9"}
        return act

    def end_game(self, message):
        self.log("ends")
        if self.fault == "exits":
            sys.exit()
        if self.fault == "closes stdin":  # so that the next line cannot be sent
            os.close(0)
            signal.pause()
        if self.fault == "exits late":
            time.sleep(0.05)
            sys.exit()
        if self.fault == "prints":
            self.write(json.dumps({"type": "bye"}).encode() + b"\n")
        if self.fault == "computes" and not os.fork():
            end = time.monotonic() + 60
            while time.monotonic() < end:
                pass
            os._exit(0)
        if self.fault == "kills itself":
            os.kill(os.getpid(), 9)
        if self.fault == "logs late":
            signal.sigwait({signal.SIGUSR1})
            self.log("is over")

    def log(self, what):
        print(f"game {self.game} {what}", file=sys.stderr, flush=True)


SecondGame().run()
