"""Step: the time that the bot uses, and how long its bank lasts at this speed."""

from statistics import mean, median, quantiles
from typing import Final

from msgspec.structs import replace

from arbiter.clock import Clock, TimeSettings
from arbiter.errors import write_count
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import CheckedGame, Examination, SelectedRules
from arbiter.preflight.harness import open_harness
from arbiter.preflight.mistakes import explain_failure
from arbiter.preflight.opponents import RANDOM_OPPONENT
from protocol.words import RED

_MIN_MOVES: Final = 4  # for statistics of times
_CLOSE_TO_LIMIT: Final = 0.5  # share of the time
_LOW_BANK_TURNS: Final = 3  # turns that the bank of the game with little time lasts at the bot's speed
_LOW_BANK_PLIES: Final = 40


async def check_time(exam: Examination, rules: SelectedRules) -> Finding:
    """Compare the times of the whole games with the limits, and with the longest game that is possible.

    If the bank would be empty before the end of that game, play a game with little time: many bots think faster then.
    """
    games = exam.games.get(rules.name, [])
    settings = exam.conditions.time
    times_ms = [ms for game in games for ms in game.move_times_ms]
    if len(times_ms) < _MIN_MOVES:
        return Finding("skipped", "the bot made too few moves")
    text, is_close = _describe_times(times_ms, games, settings)
    turn_s = mean(ms for game in games for ms in game.turn_times_ms) / 1000
    over_s = turn_s - settings.increment_s
    max_plies = rules.game().max_plies
    if over_s > 0 and (not max_plies or settings.bank_s / over_s < max_plies / 2):
        longest = f"a game may last {max_plies} plies" if max_plies else "the length of a game has no limit"
        text += (
            f". The bot uses {_format_s(over_s)} a turn more than the increment: its bank of {settings.bank_s:g} s "
            f"lasts {settings.bank_s / over_s:.0f} turns, but {longest}"
        )
        failure, passed = await _check_low_bank(exam, rules, turn_s + _LOW_BANK_TURNS * over_s)
        if failure is not None:
            return replace(failure, text=f"{text}. {failure.text}")
        text += f". {passed}"
    if is_close:
        return Finding(
            "advice",
            f"{text}. That is close to the limit: a tournament game can be longer, and a busy machine half as fast",
        )
    return Finding("ok", text)


def _describe_times(times_ms: list[float], games: list[CheckedGame], settings: TimeSettings) -> tuple[str, bool]:
    """Describe the times of the answers; the second value is True if they are close to a limit."""
    slowest_ms = max(times_ms)
    most_ms = quantiles(times_ms, n=20, method="inclusive")[-1]  # the other method can exceed the slowest time
    bank_ms = settings.bank_s * 1000
    lowest_bank_ms = min(_lowest_bank_ms(game, settings) for game in games)
    limits = f"{settings.bank_s:g} s and {settings.increment_s:g} s per turn"
    limit_ms = bank_ms
    if settings.move_s is not None:
        limits += f", at most {settings.move_s:g} s for a move"
        limit_ms = settings.move_s * 1000
    text = (
        f"move times: median {_format_ms(median(times_ms))}, 95 % within {_format_ms(most_ms)}, "
        f"slowest {_format_ms(slowest_ms)}; lowest clock {lowest_bank_ms / 1000:.1f} s (limits: {limits})"
    )
    return text, slowest_ms > limit_ms * _CLOSE_TO_LIMIT or bank_ms - lowest_bank_ms > bank_ms * _CLOSE_TO_LIMIT


def _lowest_bank_ms(game: CheckedGame, settings: TimeSettings) -> float:
    """Return the lowest time in the bank."""
    clock = Clock(settings)
    lowest_ms = clock.bank_ms[game.seat]
    for ms in game.turn_times_ms:
        clock.charge(game.seat, "turn", ms)
        lowest_ms = min(lowest_ms, clock.bank_ms[game.seat])
        clock.finish_turn(game.seat)
    return lowest_ms


async def _check_low_bank(exam: Examination, rules: SelectedRules, bank_s: float) -> tuple[Finding | None, str]:
    """Play a game with little time; return the failure, if there was one, or the description of the success."""
    conditions = replace(exam.conditions, time=replace(exam.conditions.time, bank_s=bank_s))
    async with open_harness(conditions) as harness:
        game = await harness.play(exam.make_game(rules, RED, "low-bank", plies=_LOW_BANK_PLIES), RANDOM_OPPONENT)
    where = f"In a game with a bank of {_format_s(bank_s)}"
    if game.evidence is not None:
        evidence = replace(game.evidence, bank_runs_out=game.evidence.fault == "timeout")
        return explain_failure(
            f"{where}, after {write_count(game.result.plies or 0, 'ply')}: {evidence.why}", evidence, game.record
        ), ""
    return None, f"{where} it did not lose on time"


def _format_ms(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms"  # noqa: PLR2004 - three digits at most


def _format_s(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004 - no exponent
