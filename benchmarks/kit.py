"""The kit for bots in Python, compared with a loop that reads the same lines, answers and keeps no state."""

import io
import json
import time
from collections.abc import Callable

import msgspec

from arbiter.games.base import Addressed
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from benchmarks.measured import Measured
from protocol.bot import Turn, new_session
from protocol.codec import encode
from protocol.messages import Ask, ClockState, Hello, Over, Start, TimeControl
from protocol.words import AnyAction, Seat

TURNS = 1000
REPEATS, SHORT_REPEATS = 15, 3
# Rule set, plies of a game, minimum number of legal actions listed (by repeating them): whole random games, openings
# with both armies complete, and openings with long lists.
GAMES = (
    ("original", 4000, 0),
    ("original", 120, 0),
    ("original", 120, 60),
    ("clone-wars-powers", 4000, 0),
    ("card-game", 4000, 0),
)
TIME = TimeControl(10, 60, 0.1, None, 50)
CLOCK = ClockState(60_000.0, 60_000.0, None, 0.1)


def choose_any(turn: Turn) -> AnyAction:
    """Choose any legal action."""
    return turn.rng.choice(turn.legal)


class RecordingSeat:
    """A seat that plays at random and stores the lines sent to its bot."""

    def __init__(self, seat: Seat, listed: int = 0) -> None:
        self.seat = seat
        self.listed = listed
        self.lines: list[bytes] = []
        self.legal: list[int] = []
        self._session = new_session(choose_any, name="bench", wants=["legal"])
        self._news: list[object] = []
        self._asked = 0

    def send(self, message: object) -> object:
        """Send the bot a message; return its answer."""
        self.lines.append(encode(message))
        return self._session.receive(message)

    def receive(self, facts: tuple[Addressed, ...]) -> None:
        """Store the facts for this seat until its next question."""
        self._news += [one.fact for one in facts if self.seat in one.to]

    def ask(self, phase: str, legal: list[AnyAction] | None) -> AnyAction:
        """Ask the bot."""
        self._asked += 1
        news = self._news
        self._news = []
        if legal is None:
            return self.send(Ask(self._asked, phase, news, CLOCK)).action
        legal = (legal * self.listed)[: max(self.listed, len(legal))] or legal
        self.legal.append(len(legal))
        return self.send(Ask(self._asked, phase, news, CLOCK, legal=legal)).action


def record_lines(name: str, plies: int, listed: int) -> tuple[list[bytes], list[int]]:
    """Play random games of a rule set; return the lines sent to red, and the number of actions in each question."""
    red = RecordingSeat("red", listed)
    red.send(Hello(1, "bench"))
    while len(red.legal) < TURNS:
        _play(name, plies, red, len(red.lines))
    return red.lines, red.legal


def _play(name: str, plies: int, red: RecordingSeat, seed: int) -> None:
    game = find_game(name, (), Overrides(max_plies=plies))
    play = game.start(SeededChance(seed))
    seats = {"red": red, "blue": RecordingSeat("blue")}
    red._asked = 0
    for seat, recorder in seats.items():
        recorder.send(Start("g", game.describe("red"), seat, None, seed, TIME))
        recorder.receive(play.opening)
    while play.outcome is None:
        seat = play.to_act[0]
        legal = None if play.phase == "setup" else play.legal_actions(seat)
        facts = play.act(seat, seats[seat].ask(play.phase, legal))
        for recorder in seats.values():
            recorder.receive(facts)
    red.send(Over("g", "draw", "agreed", "", red._news))
    red._news = []


# --- the loops ------------------------------------------------------------------------------------


def make_bare_loop(loads: Callable[[bytes], dict], dumps: Callable[[object], bytes]) -> Callable[[list[bytes]], None]:
    """Make the bare loop: decode, take the first legal action, encode."""

    def loop(lines: list[bytes]) -> None:
        sink = io.BytesIO()
        for line in lines:
            message = loads(line)
            if message["type"] == "ask":
                action = message["legal"][0] if message.get("legal") else {"type": "stop"}
                sink.write(dumps({"type": "act", "ask": message["ask"], "action": action}) + b"\n")
                sink.flush()

    return loop


def make_kit_loop(choose: Callable[[Turn], AnyAction]) -> Callable[[list[bytes]], None]:
    """Make the kit's loop for a bot."""

    def loop(lines: list[bytes]) -> None:
        new_session(choose, name="bench", wants=["legal"]).run(iter(lines), io.BytesIO())

    return loop


def choose_first(turn: Turn) -> AnyAction:
    """Choose the first legal action without reading the view."""
    return turn.legal[0]


def read_view(turn: Turn) -> AnyAction:
    """Read the whole view first."""
    assert turn.view
    return turn.legal[0]


def count_hidden_pieces(turn: Turn) -> AnyAction:
    """Read the view, divide it by side and count the hidden pieces."""
    assert turn.own
    assert turn.hidden or turn.enemies
    return turn.legal[0]


LOOPS = {
    "json": make_bare_loop(json.loads, lambda value: json.dumps(value).encode()),
    "msgspec": make_bare_loop(msgspec.json.decode, msgspec.json.encode),
    "kit": make_kit_loop(choose_first),
    "kit, view": make_kit_loop(read_view),
    "kit, all": make_kit_loop(count_hidden_pieces),
}


def measure_us(lines: list[bytes], turns: int, repeats: int) -> dict[str, float]:
    """Time the loops alternately; return the best of each, in microseconds of processor time per turn."""
    seconds = dict.fromkeys(LOOPS, float("inf"))
    for _ in range(repeats):
        for name, loop in LOOPS.items():
            started = time.process_time()
            loop(lines)
            seconds[name] = min(seconds[name], time.process_time() - started)
    return {name: best / turns * 1e6 for name, best in seconds.items()}


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the table."""
    found = []
    print(f"{'us per turn':<20}{'plies':>6}{'legal':>6}" + "".join(f"{name:>11}" for name in LOOPS))
    for name, plies, listed in GAMES:
        lines, legal = record_lines(name, plies, listed)
        print(f"{name:<20}{plies:>6}{sum(legal) / len(legal):>6.0f}", end="")
        us = measure_us(lines, len(legal), REPEATS if is_full else SHORT_REPEATS)
        print("".join(f"{cost:>11.1f}" for cost in us.values()))
        found.append(us)
    more_us = {way: max(us[way] - us["msgspec"] for us in found) for way in ("kit", "kit, all")}
    return [
        Measured("a turn in the kit / bare msgspec loop, difference", more_us["kit"], "us", "Python", at_most=15),
        Measured("the same, if the whole view is read and counted", more_us["kit, all"], "us", "Python", at_most=50),
    ]
