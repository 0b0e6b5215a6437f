"""Whether it plays whole games of a rule set, and the same one again from the same seed."""

from collections import Counter
from statistics import median
from typing import Final

from arbiter.games.notation import write_action
from arbiter.preflight.conditions import CheckGame, Chosen
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import Finding, advise, failed, skipped, well
from arbiter.preflight.games import WholeGame, fault_in, play_against
from arbiter.preflight.harness import open_harness
from arbiter.preflight.opponents import ANYTHING
from arbiter.record import read_record
from protocol.words import SEATS, Seat

_FIRST_PLIES: Final = 20


async def sets_up(exam: Examination, rules: Chosen) -> Finding:
    """Let it deploy and make its first moves, as either colour."""
    times_ms: list[float] = []
    for seat in SEATS:
        bout = CheckGame(rules=rules, seat=seat, about=f"setup-{seat}", overrides=exam.limits(rules, _FIRST_PLIES))
        async with open_harness(exam.conditions) as bench:
            game = await bench.play(bout, ANYTHING)
        if game.seen is not None:
            return failed(f"as {seat}: {game.seen.why}", game.seen, game.record)
        times_ms += [act.ms or 0.0 for act in read_record(game.record).acts if act.seat == seat]
    exam.pace_ms[rules.name] = median(times_ms)
    return well("it deployed and made its first moves, as red and as blue")


async def plays_random(exam: Examination, rules: Chosen) -> Finding:
    """Let it play whole games against a bot that plays anything legal, colours in turn."""
    games = exam.games[rules.name] = []
    for number in range(exam.conditions.games):
        seat = SEATS[number % len(SEATS)]
        game = await play_against(_bout(exam, rules, number), exam.conditions, exam.conditions.opponent)
        if seen := fault_in(game, exam.conditions, (seat,)):
            where = f"game {number + 1}, as {seat} against random, after {game.result.plies} plies"
            return failed(f"{where}: {seen.why}", seen, game.report.record)
        games.append(game)
    return well(f"{_count(games)} against random: {_score(games)}")


async def plays_itself(exam: Examination, rules: Chosen) -> Finding:
    """Let it play a whole game against itself."""
    bout = CheckGame(rules=rules, seat="red", about="itself", overrides=exam.limits(rules, exam.length(rules)))
    game = await play_against(bout, exam.conditions, exam.conditions.program)
    if seen := fault_in(game, exam.conditions, SEATS):
        return failed(f"against itself, after {game.result.plies} plies: {seen.why}", seen, game.report.record)
    return well(f"it played itself for {game.result.plies} plies, until {_ending(game)}")


async def plays_again(exam: Examination, rules: Chosen) -> Finding:
    """Play its first game again from the same seed, and look for the first difference."""
    before = next(iter(exam.games.get(rules.name, ())), None)
    if before is None:
        return skipped("no game was played that could be played again")
    seat = before.bout.seat
    after = await play_against(_bout(exam, rules, 0), exam.conditions, exam.conditions.opponent)
    if seen := fault_in(after, exam.conditions, (seat,)):
        where = f"game 1 again, as {seat} against random, after {after.result.plies} plies"
        return failed(f"{where}: {seen.why}", seen, after.report.record)
    acts = zip(before.acts(seat), after.acts(seat), strict=False)
    for number, (one, other) in enumerate(acts, start=1):
        if one.action != other.action:
            return advise(
                f"from the same seed its answer {number} was {write_action(one.action)}, then "
                f"{write_action(other.action)}: no tournament minds, but take all luck from `seed` in 'start', "
                "and a game that went wrong can be played again"
            )
    return well(f"from the same seed it played the same {len(after.acts(seat))} actions again")


def _bout(exam: Examination, rules: Chosen, number: int) -> CheckGame:
    seat: Seat = SEATS[number % len(SEATS)]
    return CheckGame(
        rules=rules, seat=seat, about=f"game-{number + 1}", overrides=exam.limits(rules, exam.length(rules))
    )


def _count(games: list[WholeGame]) -> str:
    return f"{len(games)} game{'s' * (len(games) > 1)}"


def _score(games: list[WholeGame]) -> str:
    """Say how games ended for the bot, and how long they were."""
    won = Counter(_result(game) for game in games)
    results = ", ".join(f"{won[word]} {word}" for word in ("won", "drawn", "lost") if won[word])
    plies = ", ".join(str(game.result.plies) for game in games)
    return f"{results}; plies: {plies}"


def _result(game: WholeGame) -> str:
    if game.result.winner is None:
        return "drawn"
    return "won" if game.result.winner == game.bout.seat else "lost"


def _ending(game: WholeGame) -> str:
    return game.report.result.why or game.report.result.ending
