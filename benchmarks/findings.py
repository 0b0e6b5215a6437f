"""Measure how often `arbiter ratings --show scores` reports a finding: among equal bots, and with one faulty bot."""

import random
from collections.abc import Iterator
from itertools import combinations

from arbiter.tournament.ratings.breakdown import break_down
from arbiter.tournament.ratings.rate import rate
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured, write_markdown, write_share

SETTINGS = ((2, 50, 0.0), (2, 200, 0.0), (4, 100, 50.0), (8, 50, 50.0))  # bots, pairs of a pairing, red's advantage
POOLS, SHORT_POOLS = 1000, 20
LUCK = 60.0  # Elo of red in both games of a pair, in either direction, as from a shared deployment
DRAWN = 0.1
FAULT = 150.0  # Elo that the faulty bot lacks as blue


def play(chance: random.Random, bots: int, pairs: int, advantage: float, fault: float) -> Iterator[StoredGame]:
    """Play a round robin of equal bots; the first lacks `fault` Elo as blue."""
    names = [f"bot{number}" for number in range(bots)]
    for one, two in combinations(names, 2):
        for pair in range(1, pairs + 1):
            luck = chance.choice((-LUCK, LUCK))
            for red, blue in ((one, two), (two, one)):
                elo = advantage + luck + (fault if blue == names[0] else 0.0)
                is_won = chance.random() < 1 / (1 + 10 ** (-elo / 400))
                winner = None if chance.random() < DRAWN else "red" if is_won else "blue"
                yield StoredGame(
                    id=f"{red}~{blue}~{pair}",
                    round=1,
                    pair=pair,
                    red=red,
                    blue=blue,
                    winner=winner,
                    ending="flag_taken" if winner else "agreed",
                    why="",
                    plies=chance.randrange(20, 400),
                    red_points=0,
                    blue_points=0,
                    started="2026-01-01T00:00:00+00:00",
                    seconds=1.0,
                )


def count_findings(pools: int, bots: int, pairs: int, advantage: float, fault: float) -> tuple[int, int]:
    """Count the pools with any finding, and those in which the colours of the first bot are one."""
    chance = random.Random(1)
    found = of_first = 0
    for _ in range(pools):
        games = list(play(chance, bots, pairs, advantage, fault))
        names = sorted({game.red for game in games})
        findings = [part for part in break_down(games, rate(names, games, 1, draws=2)) if part.is_finding]
        found += bool(findings)
        of_first += any((part.bot, part.aspect) == ("bot0", "colour") for part in findings)
    return found, of_first


def simulate(*, is_full: bool) -> tuple[str, list[Measured]]:
    """Simulate; return the table, and the largest share of pools of equal bots with a finding."""
    pools = POOLS if is_full else SHORT_POOLS
    rows = []
    worst = 0.0
    for bots, pairs, advantage in SETTINGS:
        equal, _ = count_findings(pools, bots, pairs, advantage, 0.0)
        _, faulty = count_findings(pools, bots, pairs, advantage, FAULT)
        worst = max(worst, equal / pools)
        rows.append((str(bots), str(pairs), f"{advantage:.0f}", write_share(equal, pools), write_share(faulty, pools)))
    head = ("bots", "pairs of games of each pairing", "red's advantage in Elo", "all bots equal", "one weaker as blue")
    target = 5 if is_full else None
    measured = Measured("tables of equal bots with a finding", 100 * worst, "%", "nothing", at_most=target)
    return write_markdown(head, rows), [measured]


def main(*, is_full: bool = False) -> list[Measured]:
    """Simulate and print."""
    table, rows = simulate(is_full=is_full)
    print(table)
    return rows
