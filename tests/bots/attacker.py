"""A bot that attacks the machine when it is asked for its first move, and then continues to play.

It writes the result of the attack to stderr as one line of JSON; an error means that the attack failed.
"""

import json
import sys

from base import Bot


class Attacker(Bot):
    name = "attacker"

    def __init__(self, attack):
        super().__init__()
        self.attack = attack

    def choose_action(self, ask):
        if self.turns == 0:
            self.report_attack()
        return super().choose_action(ask)

    def report_attack(self):
        try:
            got = self.attack()
        except OSError as error:
            got = []
            print(f"failed: {error}", file=sys.stderr)
        print(json.dumps({"got": got}), file=sys.stderr, flush=True)
