"""A bot that attacks when it is asked for its first move, and plays on as if nothing had been.

What the attack returns stands on stderr, as one line of JSON; an error is a defence that held.
"""

import json
import sys

from base import Bot


class Attacker(Bot):
    name = "attacker"

    def __init__(self, attack):
        super().__init__()
        self.attack = attack

    def action(self, ask):
        if self.turns == 0:
            self.tell()
        return super().action(ask)

    def tell(self):
        try:
            got = self.attack()
        except OSError as error:
            got = []
            print(f"held: {error}", file=sys.stderr)
        print(json.dumps({"got": got}), file=sys.stderr, flush=True)
