"""Processor time of the arbiter for a ply, part by part, compared with the bare loop of `baseline`."""

import time
import timeit
from collections.abc import Callable
from functools import partial
from statistics import median

from arbiter.clock import Clock, TimeSettings
from arbiter.games.base import visible_to
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.contest import Contest
from arbiter.games.ruleset import Overrides
from arbiter.record import ActEntry, GameHeader, RecordWriter
from arbiter.referee.log import BotLog
from benchmarks.measured import Measured
from benchmarks.referee import play_baseline_games, play_games
from benchmarks.run import find_quartiles, measure_here, measure_in_turn
from protocol.codec import decode_bot_line, encode
from protocol.dialogue import Dialogue
from protocol.messages import Act, AnyBotMessage, Ask, ClockState
from protocol.words import SEATS, Deploy, Move, Seat

PLIES = 1000
REPEATS, SHORT_REPEATS = 60, 20
CALLS, TIMES = 500, 200
WALK: dict[Seat, list[Move]] = {  # the moves of the native bot
    "red": [Move("a4", "a5"), Move("b4", "b5"), Move("a5", "a4"), Move("b5", "b4")],
    "blue": [Move("j7", "j6"), Move("i7", "i6"), Move("j6", "j7"), Move("i6", "i7")],
}
GAME = find_game("original", (), Overrides(no_attack_plies=0, max_plies=0))


class Parts:
    """The parts of a ply, each as it is called in a game.  A method does what one ply needs."""

    def __init__(self) -> None:
        terms = GAME.describe("red")
        army = [rank for rank, count in reversed(terms.army.items()) for _ in range(count)]
        self._contest = Contest(GAME.start(SeededChance(0)))
        for seat in SEATS:
            places = terms.deploy[seat] if seat == "red" else reversed(terms.deploy[seat])
            self._contest.act(seat, Deploy(dict(zip(places, army, strict=True))))
        self._turns = [(seat, WALK[seat][turn]) for turn in range(4) for seat in SEATS]
        self._plies = 0
        self._facts = self._contest.act(*self._turns[0])
        self._plies += 1
        self._clock = Clock(TimeSettings())
        self._record = RecordWriter(GameHeader(rules="original", facts=()))
        self._log = BotLog(0.0)
        self._dialogue = Dialogue()
        self._asked = 0
        facts = visible_to("red", self._facts)
        self._question = Ask(2, "turn", [*facts, *facts], ClockState(59_999.1, 59_999.2, None, 0.1))
        self._line = encode(self._question)
        self._answer_line = encode(Act(2, WALK["red"][0])).removesuffix(b"\n")

    def rules(self) -> None:
        self._contest.act(*self._turns[self._plies % len(self._turns)])
        self._plies += 1

    def clock(self) -> None:
        self._clock.state("red", "turn")
        self._clock.limit_ms("red", "turn")
        self._clock.charge("red", "turn", 0.05)
        self._clock.finish_turn("red")

    def facts(self) -> None:
        for seat in SEATS:
            visible_to(seat, self._facts)

    def record(self) -> None:
        self._record.act(ActEntry(seat="red", action=WALK["red"][0], ms=0.05, facts=self._facts))

    def log(self) -> None:
        self._log.note(self._line, 1.0, sent=True)
        self._log.note(self._answer_line, 1.0, sent=False)

    def codec(self) -> None:
        encode(self._question)
        decode_bot_line(self._answer_line)

    def dialogue(self) -> None:
        self._dialogue.state, self._dialogue.ask = "playing", 1
        self._dialogue.note_sent(self._question)
        self._dialogue.note_received(ANSWER)


ANSWER: AnyBotMessage = Act(2, WALK["red"][0])
PARTS: dict[str, Callable[[Parts], None]] = {
    "rules": Parts.rules,
    "record": Parts.record,
    "clock": Parts.clock,
    "codec": Parts.codec,
    "log": Parts.log,
    "facts for each seat": Parts.facts,
    "dialogue": Parts.dialogue,
}


def main(*, is_full: bool) -> list[Measured]:
    """Measure the whole ply and the bare loop alternately, then each part, and print medians."""
    ways = (partial(measure_here, play_baseline_games), partial(measure_here, play_games))
    costs = measure_in_turn(ways, PLIES, 1, REPEATS if is_full else SHORT_REPEATS)
    bare, whole = (median(cost.cpu for cost in column) for column in zip(*costs, strict=True))
    times = {}
    for name, part in PARTS.items():
        runs = timeit.repeat(partial(part, Parts()), number=CALLS, repeat=TIMES, timer=time.process_time)
        times[name] = min(runs) / CALLS * 1e6
    rest = whole - bare - sum(times.values())
    print(f"{'own processor time of a ply':30}{'us':>7}{'/ bare loop':>13}")
    rows = {"bare loop": bare, **times, "session, player, timer, waits": rest, "arbiter": whole}
    for name, us in rows.items():
        print(f"{name:30}{us:>7.2f}{us / bare:>13.2f}")
    low, more, high = find_quartiles((arbiter.cpu - loop.cpu) / loop.cpu for loop, arbiter in costs)
    print(f"more than the bare loop, as a multiple of it: {more:.2f}, quartiles {low:.2f} and {high:.2f}")
    return [Measured("processor time per ply more than the bare loop's / that time", more, "", "Python", at_most=1.0)]
