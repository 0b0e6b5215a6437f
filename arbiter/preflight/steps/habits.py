"""How it bears what a tournament may bring: a later arbiter, another game, a clock, a limit of memory."""

from statistics import median, quantiles
from typing import Final

from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.preflight.conditions import CheckGame, Chosen
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import Finding, advise, failed, skipped, well
from arbiter.preflight.future_protocol import write_as_later
from arbiter.preflight.games import WholeGame
from arbiter.preflight.harness import open_harness
from arbiter.preflight.opponents import ANYTHING
from protocol.words import SEATS, Deploy

_PLIES: Final = 40
_MUCH: Final = 0.5  # of the time for one answer, or of the bank
_NEARLY_ALL: Final = 0.8  # of the memory
_TWENTIETHS: Final = 20
_MS: Final = 1000.0
_FEW: Final = 4  # moves from which on it makes sense to speak of times
_EXACT: Final = 10.0


async def skips_unknown(exam: Examination, rules: Chosen) -> Finding:
    """Let it hear a later arbiter: fields, facts and a message that it cannot know."""
    bout = CheckGame(rules=rules, seat="red", about="later", overrides=exam.limits(rules, _PLIES))
    async with open_harness(exam.conditions, write_as_later) as bench:
        game = await bench.play(bout, ANYTHING)
    if game.seen is not None:
        return failed(game.seen.why, replace(game.seen, later=True), game.record)
    return well("it skipped fields, facts and a message that it cannot know")


async def plays_on(exam: Examination, rules: Chosen) -> Finding:
    """Let it play two games in one process, and see how much memory it has had then."""
    async with open_harness(exam.conditions) as bench:
        for number, seat in enumerate(reversed(SEATS), start=1):
            bout = CheckGame(rules=rules, seat=seat, about=f"on-{number}", overrides=exam.limits(rules, _PLIES))
            game = await bench.play(bout, ANYTHING)
            if game.seen is not None:
                return failed(f"game {number} of one process, as {seat}: {game.seen.why}", game.seen, game.record)
        exam.peak_mib[rules.name] = bench.process.peak_mib()
    return well("it played two games in one process, as blue and then as red")


async def keeps_time(exam: Examination, rules: Chosen) -> Finding:
    """Look at the time that it took in its whole games."""
    games, settings = exam.games.get(rules.name, []), exam.conditions.time
    times_ms = [ms for game in games for ms in _times_ms(game)]
    if len(times_ms) < _FEW:
        return skipped("it made too few moves to tell")
    worst_ms, lowest_ms = max(times_ms), min(_lowest_bank_ms(game, settings) for game in games)
    often_ms = quantiles(times_ms, n=_TWENTIETHS)[-1]
    says = (
        f"a move took {_ms(median(times_ms))}, 95 of 100 within {_ms(often_ms)}, the slowest {_ms(worst_ms)}; "
        f"{_allowed(settings)}, and {lowest_ms / _MS:.1f} s were left at the least"
    )
    cap_ms = settings.bank_s * _MS if settings.move_s is None else settings.move_s * _MS
    if worst_ms > cap_ms * _MUCH or lowest_ms < settings.bank_s * _MS * (1 - _MUCH):
        return advise(f"{says}: that is close, and these games were short; a busy machine may be twice as slow")
    return well(says)


def _times_ms(game: WholeGame) -> list[float]:
    return [act.ms or 0.0 for act in game.acts(game.bout.seat) if not isinstance(act.action, Deploy)]


def _lowest_bank_ms(game: WholeGame, settings: TimeSettings) -> float:
    """Return what was left in the bank when it was lowest; the increment comes after each answer here."""
    bank = lowest = settings.bank_s * _MS
    for ms in _times_ms(game):
        bank = max(0.0, bank - ms)
        lowest = min(lowest, bank)
        bank += settings.increment_s * _MS
    return lowest


def _ms(value: float) -> str:
    return f"{value:.1f} ms" if value < _EXACT else f"{value:.0f} ms"


def _allowed(settings: TimeSettings) -> str:
    bank = f"{settings.bank_s:g} s and {settings.increment_s:g} s a turn are allowed"
    return bank if settings.move_s is None else f"{bank}, {settings.move_s:g} s for one"


async def keeps_to_its_memory(exam: Examination, rules: Chosen) -> Finding:
    """Look at the address space that it has had at the most."""
    peak, allowed = exam.peak_mib.get(rules.name), exam.conditions.program.memory_mb
    if peak is None:
        return skipped("nobody can tell here how much memory it took")
    says = f"one of its processes had {peak:.0f} MiB of address space at the most; {allowed} are allowed"
    return advise(f"{says}: that is close") if peak > allowed * _NEARLY_ALL else well(says)
