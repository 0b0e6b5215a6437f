"""Steps: a second game in the same process, and the use of memory, with the growth from turn to turn."""

from collections.abc import Sequence
from typing import Final

import trio

from arbiter.preflight.evidence import Evidence, Finding
from arbiter.preflight.examination import MOST_PLIES, CheckedGame, CheckGame, Examination, SelectedRules
from arbiter.preflight.harness import Harness, open_harness
from arbiter.preflight.mistakes import explain_failure
from arbiter.preflight.opponents import make_opponent
from protocol.bot import Turn
from protocol.words import RED, SEATS, AnyAction

_PLIES_OF_TEST: Final = 40
_CLOSE_TO_LIMIT: Final = 0.8  # share of the memory
_FEWEST_SAMPLES: Final = 8  # of the memory, from which a growth can be seen
_PROVES_GROWTH: Final = 0.2  # share of the limit: a runtime that collects its garbage late grows up to there
_MOST_GAMES: Final = 20
_LONGEST_S: Final = 30.0


async def check_second_game(exam: Examination, rules: SelectedRules) -> Finding:
    """Play two games in one process, and measure its memory."""
    growths: list[float] = []
    async with open_harness(exam.conditions) as harness:
        for number, seat in enumerate(reversed(SEATS), start=1):
            asked = exam.make_game(rules, seat, f"on-{number}", plies=_PLIES_OF_TEST)
            game, peaks_mib = await _play_and_measure(harness, asked)
            if game.evidence is not None:
                where = f"game {number} in one process, as {seat}"
                return explain_failure(f"{where}: {game.evidence.why}", game.evidence, game.record)
            # The first half of the first game is left out: programs load and compile there.
            turns = (game.result.plies or 0) / len(SEATS)
            growths.append(_measure_growth(peaks_mib, turns, 0.5 if number == 1 else 0.0, 1.0))
        exam.peak_mib[rules.name] = harness.process.peak_mib()
        exam.growth_mib[rules.name] = max(growths)
    return Finding("ok", "played two games in one process, as blue and then as red")


async def check_memory(exam: Examination, rules: SelectedRules) -> Finding:
    """Compare the memory of the second game's process with the limit, and extrapolate its growth to the longest game.

    If that exceeds the limit, play a longer game, or several short ones: many programs grow at first and then stop.
    """
    peak_mib = exam.peak_mib.get(rules.name)
    limit_mib = exam.conditions.program.memory_mb
    if peak_mib is None:
        return Finding("skipped", "this machine does not report the memory of processes")
    text = f"peak memory of a process: {peak_mib:.0f} MiB (limit: {limit_mib} MiB)"
    longest_turns = (rules.game().max_plies or MOST_PLIES) // len(SEATS)
    if peak_mib + exam.growth_mib[rules.name] * longest_turns > limit_mib:
        peaks_mib: list[float] = []
        plies = 0
        begun = trio.current_time()
        async with open_harness(exam.conditions) as harness:
            for number in range(_MOST_GAMES):
                if max(peaks_mib, default=0.0) > limit_mib * _PROVES_GROWTH or trio.current_time() > begun + _LONGEST_S:
                    break
                game, peaks = await _play_and_measure(harness, exam.make_game(rules, RED, f"memory-{number}"))
                if game.evidence is not None:
                    return explain_failure(f"{text}; longer: {game.evidence.why}", game.evidence, game.record)
                peaks_mib += peaks
                plies += game.result.plies or 0
        turns = plies // len(SEATS)
        # A growth that is about to end is smaller in the last quarter than in the one before.
        growth_mib = min(_measure_growth(peaks_mib, turns, start, start + 0.25) for start in (0.5, 0.75))
        total_mib = max(peaks_mib, default=0.0) + growth_mib * max(longest_turns - turns, 0)
        text += f"; in {turns} turns in a row, it "
        text += f"grew by {growth_mib:.2g} MiB a turn, to {peaks_mib[-1]:.0f} MiB" if growth_mib else "stopped growing"
        if total_mib > limit_mib:
            text += f": the longest game has {longest_turns} turns and would need {total_mib:.0f} MiB"
            if peaks_mib[-1] < limit_mib * _PROVES_GROWTH:
                return Finding("advice", f"{text}. A program that collects its garbage late may stop growing before")
            return explain_failure(text, Evidence(fault="memory_grows", growth_mib=growth_mib))
    if peak_mib > limit_mib * _CLOSE_TO_LIMIT:
        return Finding("advice", f"{text}. That is close to the limit")
    return Finding("ok", text)


async def _play_and_measure(harness: Harness, game: CheckGame) -> tuple[CheckedGame, list[float]]:
    """Play a game against random; return also the peak of the bot's memory, in MiB, at each turn of the opponent."""
    peaks_mib: list[float] = []

    def choose(turn: Turn) -> AnyAction:
        peaks_mib.append(harness.process.peak_mib() or 0.0)
        return turn.rng.choice(turn.legal)

    return await harness.play(game, make_opponent(choose)), peaks_mib


def _measure_growth(peaks_mib: Sequence[float], turns: float, start: float, end: float) -> float:
    """Return the growth of the memory in MiB a turn, from one share of so many turns to another."""
    if len(peaks_mib) < _FEWEST_SAMPLES or not turns:
        return 0.0
    last = len(peaks_mib) - 1
    grown_mib = peaks_mib[round(last * end)] - peaks_mib[round(last * start)]
    return grown_mib / (turns * (end - start))
