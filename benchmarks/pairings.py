"""Pairings of Swiss rounds, compared with those of bbpPairings, FIDE's Dutch system, if it is installed.

Simulates Swiss events that this project pairs, in which stronger bots win more often, and lets bbpPairings
(https://github.com/BieremaBoyzProgramming/bbpPairings, a program `bbpPairings` or `bbpPairings.exe` on the PATH) pair
each round after the same earlier rounds: once with their colours and floats, and once only with the scores and the
bots that have met.  Both games of a match have the same result, so that a match is one game of the Dutch system.
"""

import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from tabulate import tabulate

from arbiter.tournament.schedule.pairing import PairingPool, pair_off
from benchmarks.measured import Measured

PROGRAMS = ("bbpPairings", "bbpPairings.exe")
WIN, DRAW, LOSS = 1.0, 0.5, 0.0
DRAWS = 0.1
SIGNS = {WIN: "1", DRAW: "=", LOSS: "0"}
Pairs = frozenset[frozenset[str]]
"""Pairs of bots; a bot with a bye is alone."""


class Played(Struct, frozen=True):
    """A round of a bot."""

    opponent: str | None
    colour: str
    score: float


class Event:
    """A simulated Swiss event; bots are named by their numbers in the seeding, from 1."""

    def __init__(self, bots: int, chance: random.Random) -> None:
        self.bots = [str(number) for number in range(1, bots + 1)]
        self.history: dict[str, list[Played]] = {bot: [] for bot in self.bots}
        self.met: Counter[frozenset[str]] = Counter()
        self._chance = chance
        self._strength = {bot: chance.gauss(-100 * place, 200) for place, bot in enumerate(self.bots)}

    @property
    def scores(self) -> dict[str, float]:
        return {bot: sum(one.score for one in rounds) for bot, rounds in self.history.items()}

    def pair(self) -> tuple[list[tuple[str, str]], str | None]:
        """Pair the next round as a tournament of this project does."""
        scores = self.scores
        ranked = tuple(sorted(self.bots, key=lambda bot: -scores[bot]))
        byes = {bot: sum(one.opponent is None for one in rounds) for bot, rounds in self.history.items()}
        return pair_off(PairingPool(ranked=ranked, points=scores, met=self.met, byes=byes))

    def play(self, pairs: Sequence[tuple[str, str]], bye: str | None) -> None:
        """Play a round; the higher ranked bot of a pair is red in its first game, and white in the Dutch system."""
        for one, two in pairs:
            expected = 1 / (1 + 10 ** ((self._strength[two] - self._strength[one]) / 400))
            share = self._chance.random()
            score = DRAW if abs(share - expected) < DRAWS else WIN if share < expected else LOSS
            self.history[one].append(Played(two, "w", score))
            self.history[two].append(Played(one, "b", WIN - score))
            self.met[frozenset((one, two))] += 1
        if bye is not None:
            self.history[bye].append(Played(None, "-", WIN))

    def write(self, rounds: int, *, is_whole: bool) -> str:
        """Write the rounds so far as a tournament report; if not whole, only with scores and the bots that have met."""
        scores = self.scores
        lines = ["012 simulated", f"142 {rounds}", "152 W"]
        for bot, played in self.history.items():
            cells = [
                f"{one.opponent or '0000':>4} {one.colour} {SIGNS[one.score] if one.opponent else 'U'}"
                if is_whole
                else "0000 - U"
                if one.opponent is None
                else "0000 - Z"
                for one in played
            ]
            points = scores[bot] if is_whole else sum(one.opponent is None for one in played)
            lines.append(f"001 {bot:>4}{'':72}{points:4.1f} {bot:>4}" + "".join(f"  {cell}" for cell in cells))
            if not is_whole:
                rest = scores[bot] - points
                lines.append(f"XXA {bot:>4}" + "  0.0" * len(played) + f" {rest:4.1f}")
        if not is_whole:
            lines += [f"XXP {' '.join(sorted(pair))}" for pair in self.met]
        return "".join(f"{line}\r\n" for line in lines)


def pair_with_program(program: str, report: str, folder: Path) -> Pairs | None:
    """Return the pairs of bbpPairings; None if it finds none."""
    source, target = folder / "event.trf", folder / "pairs.txt"
    source.write_text(report, encoding="utf-8", newline="")
    done = subprocess.run([program, "--dutch", source, "-p", target], capture_output=True, text=True, timeout=60)  # noqa: PLW1510
    if done.returncode == 1:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr or done.stdout)
    rows = (line.split() for line in target.read_text(encoding="utf-8").splitlines()[1:])
    return frozenset(frozenset(bot for bot in row if bot != "0") for row in rows)


def name_difference(ours: Pairs, theirs: Pairs | None, scores: Mapping[str, float]) -> str:
    """Return the first difference of two pairings, from the bye to the order within a score group, or "none"."""

    def list_floats(pairs: Pairs) -> list[tuple[float, ...]]:
        found = (tuple(sorted(scores[bot] for bot in pair)) for pair in pairs)
        return sorted(one for one in found if len(set(one)) > 1)

    def list_floaters(pairs: Pairs) -> set[str]:
        return {bot for pair in pairs for bot in pair if len({scores[other] for other in pair}) > 1}

    if ours == theirs:
        return "none"
    if theirs is None:
        return "the Dutch system finds no pairing"
    if {pair for pair in ours if len(pair) == 1} != {pair for pair in theirs if len(pair) == 1}:
        return "another bot has the bye"
    if list_floats(ours) != list_floats(theirs):
        return "other score groups meet"
    if list_floaters(ours) != list_floaters(theirs):
        return "other bots of the same score groups meet"
    return "other opponents within a score group"


def compare(program: str, events: int) -> tuple[Counter[str], Counter[str]]:
    """Count the rounds of some events by their differences: after whole earlier rounds, and after their scores only."""
    whole: Counter[str] = Counter()
    by_scores: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(events):
            chance = random.Random(seed)
            event = Event(chance.randint(6, 24), chance)
            rounds = len(event.bots).bit_length()  # as many as a knockout has, or one more
            for _ in range(rounds):
                pairs, bye = event.pair()
                ours = frozenset([*map(frozenset, pairs), *([frozenset([bye])] if bye else [])])
                for is_whole, counts in ((True, whole), (False, by_scores)):
                    theirs = pair_with_program(program, event.write(rounds, is_whole=is_whole), folder)
                    counts[name_difference(ours, theirs, event.scores)] += 1
                event.play(pairs, bye)
    return whole, by_scores


def main(*, is_full: bool) -> list[Measured]:
    """Compare and print."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        print("bbpPairings is not installed")
        return []
    events = 200 if is_full else 40
    whole, by_scores = compare(program, events)
    rows = [(name, whole[name], by_scores[name]) for name, _ in (whole | by_scores).most_common()]
    print(f"{events} events, {whole.total()} rounds\n")
    print(tabulate(rows, ("difference", "rounds", "without colours and earlier floats"), tablefmt="github"))
    return [
        Measured(f"Swiss rounds that bbpPairings pairs equally{after}", counts["none"] / counts.total(), "", "nothing")
        for after, counts in (("", whole), (", without colours and earlier floats", by_scores))
    ]
