"""Knows its own seed, its cards and the tournament file, and tries every short seed of a tournament; reports on stderr.

The arguments are what the file shows: the names of both bots; and the id of the game.  The program knows the code of
the arbiter too, and tries the secret of `match --seed`.
"""

import hashlib
import sys
from random import Random

from base import Bot

TRIES = 3000
NO_SECRET = bytes(16)
LINE = [f"hand:{number}" for number in range(5)]


def derive(key, *path):
    return hashlib.blake2b("\0".join(map(str, path)).encode(), key=key, digest_size=16).digest()


def number(digest):
    return int.from_bytes(digest[:8], "big") >> 11


class GuessesTheSeed(Bot):
    def start_game(self, start):
        super().start_game(start)
        self.start = start

    def build_act(self, ask):
        if ask["phase"] == "setup":
            hand = [fact["rank"] for fact in ask["news"] if fact["type"] == "revealed"]
            found = [f"{seed} by {how}" for how, seed in self.guess(hand)]
            print("guessed", "; ".join(found) or "nothing", file=sys.stderr, flush=True)
            return {"type": "act", "ask": ask["ask"], "action": {"type": "deploy", "line": LINE}}
        return {"type": "act", "ask": ask["ask"], "action": {"type": "resign"}}

    def guess(self, hand):
        """Yield what gives a seed away, and the seed."""
        *names, game_id = sys.argv[1:]
        seat = self.start["seat"]
        for seed in range(TRIES):
            key = derive(NO_SECRET, "tournament", seed)
            game = derive(key, *sorted(names), 1)
            if self.start["seed"] == number(derive(key, "bot", game_id, seat)):
                yield "its own seed", seed
            if self.start["game"] == f"g{number(derive(game, 'name', game_id)):014x}":
                yield "the name of the game", seed
            if self.deal(game, seat)[: len(hand)] == hand:
                yield "its cards", seed

    def deal(self, game, seat):
        deck = [rank for rank, count in self.start["rules"]["army"].items() for _ in range(count)]
        shuffle = 1 if seat == "red" else 2
        Random(number(derive(game, "shuffle", seat, shuffle))).shuffle(deck)
        return deck


GuessesTheSeed().run()
