"""The kit for bots in Python, compared with a loop that reads the same lines, answers and keeps no state."""

import io
import json
import time
from collections.abc import Callable, Iterator

import msgspec

from arbiter.games.base import Addressed
from arbiter.games.catalogue import find_game
from arbiter.games.chance import Seeded
from arbiter.games.overrides import Overrides
from protocol.bot import Turn, new_session, run
from protocol.codec import encode
from protocol.messages import Ask, ClockState, Hello, Over, Start, TimeControl
from protocol.words import AnyAction, Seat

TURNS, REPEATS = 1000, 15
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


def any_action(turn: Turn) -> AnyAction:
    """Choose any legal action."""
    return turn.rng.choice(turn.legal)


class RecordingSeat:
    """A seat that plays at random and stores the lines sent to its bot."""

    def __init__(self, seat: Seat, listed: int = 0) -> None:
        self.seat = seat
        self.listed = listed
        self.lines: list[bytes] = []
        self.legal: list[int] = []
        self._session = new_session(any_action, name="bench", wants=["legal"])
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
        news, self._news = self._news, []
        if legal is None:
            return self.send(Ask(self._asked, phase, news, CLOCK)).action
        legal = (legal * self.listed)[: max(self.listed, len(legal))] or legal
        self.legal.append(len(legal))
        return self.send(Ask(self._asked, phase, news, CLOCK, legal=legal)).action


def lines_of(name: str, plies: int, listed: int) -> tuple[list[bytes], list[int]]:
    """Play random games of a rule set; return the lines sent to red, and the number of actions in each question."""
    red = RecordingSeat("red", listed)
    red.send(Hello(1, "bench"))
    while len(red.legal) < TURNS:
        _play(name, plies, red, len(red.lines))
    return red.lines, red.legal


def _play(name: str, plies: int, red: RecordingSeat, seed: int) -> None:
    game = find_game(name, (), Overrides(max_plies=plies))
    play = game.start(Seeded(seed))
    seats = {"red": red, "blue": RecordingSeat("blue")}
    red._asked = 0
    for seat, recorder in seats.items():
        recorder.send(Start("g", game.terms("red"), seat, None, seed, TIME))
        recorder.receive(play.opening)
    while play.outcome is None:
        seat = play.to_act[0]
        legal = None if play.phase == "setup" else play.legal(seat)
        facts = play.act(seat, seats[seat].ask(play.phase, legal))
        for recorder in seats.values():
            recorder.receive(facts)
    red.send(Over("g", "draw", "agreed", "", red._news))
    red._news = []


# --- the loops ------------------------------------------------------------------------------------


def bare(loads: Callable[[bytes], dict], dumps: Callable[[object], bytes]) -> Callable[[list[bytes]], None]:
    """Make the bare loop: decode, take the first legal action, encode."""

    def loop(lines: list[bytes]) -> None:
        sink = io.BytesIO()
        for line in lines:
            said = loads(line)
            if said["type"] == "ask":
                action = said["legal"][0] if said.get("legal") else {"type": "stop"}
                sink.write(dumps({"type": "act", "ask": said["ask"], "action": action}) + b"\n")
                sink.flush()

    return loop


def kit(choose: Callable[[Turn], AnyAction]) -> Callable[[list[bytes]], None]:
    """Make the kit's loop for a bot."""

    def loop(lines: list[bytes]) -> None:
        run(choose, name="bench", wants=["legal"], source=iter(lines), sink=io.BytesIO())

    return loop


def first(turn: Turn) -> AnyAction:
    """Choose the first legal action without reading the view."""
    return turn.legal[0]


def looking(turn: Turn) -> AnyAction:
    """Read the whole view first."""
    assert turn.view
    return turn.legal[0]


def counting(turn: Turn) -> AnyAction:
    """Read the view, divide it by side and count the hidden pieces."""
    assert turn.own
    assert turn.hidden or turn.enemies
    return turn.legal[0]


LOOPS = {
    "json": bare(json.loads, lambda value: json.dumps(value).encode()),
    "msgspec": bare(msgspec.json.decode, msgspec.json.encode),
    "kit": kit(first),
    "kit, view": kit(looking),
    "kit, all": kit(counting),
}


def micros(lines: list[bytes], turns: int) -> Iterator[float]:
    """Time the loops in turn; yield the best of each, in microseconds of processor time per turn."""
    rounds = [[_seconds(loop, lines) for loop in LOOPS.values()] for _ in range(REPEATS)]
    return (min(column) / turns * 1e6 for column in zip(*rounds, strict=True))


def _seconds(loop: Callable[[list[bytes]], None], lines: list[bytes]) -> float:
    begun = time.process_time()
    loop(lines)
    return time.process_time() - begun


def main() -> None:
    """Measure and print the table."""
    print(f"{'us a turn of':<20}{'plies':>6}{'legal':>6}" + "".join(f"{name:>11}" for name in LOOPS))
    for name, plies, listed in GAMES:
        lines, legal = lines_of(name, plies, listed)
        print(f"{name:<20}{plies:>6}{sum(legal) / len(legal):>6.0f}", end="")
        print("".join(f"{found:>11.1f}" for found in micros(lines, len(legal))))


if __name__ == "__main__":
    main()
