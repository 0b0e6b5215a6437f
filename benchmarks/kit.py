"""The kit for bots in Python against a bare loop that reads the same lines of a game, answers and remembers nothing."""

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
# Whole games at random; openings, when both armies stand on the board, and these with lists of 60 legal actions:
# a rule set, the plies of a game, how many actions are listed at least (the same ones over again).
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


class Chair:
    """Plays a seat at random and keeps the lines that its bot was sent."""

    def __init__(self, seat: Seat, listed: int = 0) -> None:
        self.seat = seat
        self.listed = listed
        self.lines: list[bytes] = []
        self.legal: list[int] = []
        self._session = new_session(any_action, name="bench", wants=["legal"])
        self._news: list[object] = []
        self._asked = 0

    def say(self, message: object) -> object:
        """Send the bot a message; return its answer."""
        self.lines.append(encode(message))
        return self._session.receive(message)

    def hear(self, told: tuple[Addressed, ...]) -> None:
        """Keep what this seat is told for its next question."""
        self._news += [one.fact for one in told if self.seat in one.to]

    def ask(self, phase: str, legal: list[AnyAction] | None) -> AnyAction:
        """Ask the bot."""
        self._asked += 1
        news, self._news = self._news, []
        if legal is None:
            return self.say(Ask(self._asked, phase, news, CLOCK)).action
        legal = (legal * self.listed)[: max(self.listed, len(legal))] or legal
        self.legal.append(len(legal))
        return self.say(Ask(self._asked, phase, news, CLOCK, legal=legal)).action


def lines_of(name: str, plies: int, listed: int) -> tuple[list[bytes], list[int]]:
    """Play games of a rule set at random; return what red is sent, and how many actions each question lists."""
    chair = Chair("red", listed)
    chair.say(Hello(1, "bench"))
    while len(chair.legal) < TURNS:
        _play(name, plies, chair, len(chair.lines))
    return chair.lines, chair.legal


def _play(name: str, plies: int, red: Chair, seed: int) -> None:
    game = find_game(name, (), Overrides(max_plies=plies))
    play, chairs = game.start(Seeded(seed)), {"red": red, "blue": Chair("blue")}
    red._asked = 0
    for seat, chair in chairs.items():
        chair.say(Start("g", game.terms("red"), seat, None, seed, TIME))
        chair.hear(play.opening)
    while play.outcome is None:
        seat = play.to_act[0]
        legal = None if play.phase == "setup" else play.legal(seat)
        told = play.act(seat, chairs[seat].ask(play.phase, legal))
        for chair in chairs.values():
            chair.hear(told)
    red.say(Over("g", "draw", "agreed", "", red._news))
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
    """Choose the first legal action without a look at anything."""
    return turn.legal[0]


def looking(turn: Turn) -> AnyAction:
    """Read the whole view first."""
    assert turn.view
    return turn.legal[0]


def counting(turn: Turn) -> AnyAction:
    """Read the view, sort it by sides and count what is hidden."""
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
    """Time the loops in turn; yield the best of each in microseconds of the processor a turn."""
    rounds = [[_seconds(loop, lines) for loop in LOOPS.values()] for _ in range(REPEATS)]
    return (min(column) / turns * 1e6 for column in zip(*rounds, strict=True))


def _seconds(loop: Callable[[list[bytes]], None], lines: list[bytes]) -> float:
    begun = time.process_time()
    loop(lines)
    return time.process_time() - begun


def main() -> None:
    """Measure and print."""
    print(f"{'us a turn of':<20}{'plies':>6}{'legal':>6}" + "".join(f"{name:>11}" for name in LOOPS))
    for name, plies, listed in GAMES:
        lines, legal = lines_of(name, plies, listed)
        print(f"{name:<20}{plies:>6}{sum(legal) / len(legal):>6.0f}", end="")
        print("".join(f"{found:>11.1f}" for found in micros(lines, len(legal))))


if __name__ == "__main__":
    main()
