"""Steps: deployment, whole games, the repetition rules, the same game from the same seed, and the use of time."""

from statistics import mean, median, quantiles
from typing import Final

from msgspec.structs import replace

from arbiter.clock import Clock, TimeSettings
from arbiter.errors import write_count
from arbiter.games.notation import write_action
from arbiter.languages.sentences import write_ending
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import CheckedGame, CheckGame, Examination, SelectedRules
from arbiter.preflight.harness import open_harness, play_whole_game
from arbiter.preflight.mistakes import explain_failure
from arbiter.preflight.opponents import RANDOM_OPPONENT, Trap
from protocol.words import RED, SEATS

_FIRST_PLIES: Final = 20
_TRAP_PLIES: Final = 240


async def check_opening(exam: Examination, rules: SelectedRules) -> Finding:
    """Let the bot deploy and make its first moves, with each colour."""
    times_ms: list[float] = []
    for seat in SEATS:
        async with open_harness(exam.conditions) as harness:
            game = await harness.play(
                exam.make_game(rules, seat, f"setup-{seat}", plies=_FIRST_PLIES, begins=True), RANDOM_OPPONENT
            )
        if game.evidence is not None:
            return explain_failure(f"as {seat}: {game.evidence.why}", game.evidence, game.record)
        times_ms += [act.ms or 0.0 for act in game.acts]
    exam.median_ms[rules.name] = median(times_ms)
    return Finding("ok", "deployed and made its first moves, as red and as blue")


async def check_games(exam: Examination, rules: SelectedRules) -> Finding:
    """Play whole games against the opponent, with alternating colours."""
    games = exam.games[rules.name] = []
    for number in range(1, exam.conditions.games + 1):
        game = await _play_against_opponent(exam, rules, number)
        if game.evidence is not None:
            where = f"game {number}, as {game.seat} against random, after {write_count(game.result.plies or 0, 'ply')}"
            return explain_failure(f"{where}: {game.evidence.why}", game.evidence, game.record)
        games.append(game)
    outcomes = [
        "drawn" if game.result.winner is None else "won" if game.result.winner == game.seat else "lost"
        for game in games
    ]
    score = ", ".join(f"{outcomes.count(word)} {word}" for word in ("won", "drawn", "lost") if word in outcomes)
    plies = ", ".join(str(game.result.plies) for game in games)
    return Finding("ok", f"{write_count(len(games), 'game')} against random: {score}; plies: {plies}")


async def check_game_against_itself(exam: Examination, rules: SelectedRules) -> Finding:
    game = await play_whole_game(exam.make_game(rules, RED, "itself"), exam.conditions)
    if game.evidence is not None:
        text = f"against itself, after {write_count(game.result.plies or 0, 'ply')}: {game.evidence.why}"
        return explain_failure(text, game.evidence, game.record)
    return Finding(
        "ok",
        f"{write_count(game.result.plies or 0, 'ply')} against itself: "
        f"{game.result.why or write_ending(game.result.ending)}",
    )


async def check_same_seed(exam: Examination, rules: SelectedRules) -> Finding:
    """Play the first whole game again from the same seed and look for the first difference."""
    before = next(iter(exam.games.get(rules.name, ())), None)
    if before is None:
        return Finding("skipped", "no whole game was played")
    after = await _play_against_opponent(exam, rules, 1)
    if after.evidence is not None:
        where = f"game 1 again, as {after.seat} against random, after {write_count(after.result.plies or 0, 'ply')}"
        return explain_failure(f"{where}: {after.evidence.why}", after.evidence, after.record)
    for number, (one, other) in enumerate(zip(before.acts, after.acts, strict=False), start=1):
        if one.action != other.action:
            return Finding(
                "advice",
                f"with the same seed, answer {number} was {write_action(one.action)} in the first game and "
                f"{write_action(other.action)} in the second. No tournament penalises that, but if you take all "
                "random numbers from `seed` in 'start', you can repeat a game that went wrong",
            )
    return Finding("ok", f"with the same seed, all {len(after.acts)} actions were the same")


async def _play_against_opponent(exam: Examination, rules: SelectedRules, number: int) -> CheckedGame:
    seat = SEATS[(number - 1) % len(SEATS)]
    game = exam.make_game(rules, seat, f"game-{number}")
    return await play_whole_game(game, exam.conditions, exam.conditions.opponent)


async def check_repetition(exam: Examination, rules: SelectedRules, trap: Trap) -> Finding:
    """Let the bot play from a position that tempts it to break a repetition rule."""
    if not trap.is_in(rules.game().describe(RED)):
        return Finding("skipped", f"{rules.name} does not have this rule")
    overrides = trap.overrides(min(_TRAP_PLIES, exam.max_plies(rules)))
    changed = replace(rules, overrides=overrides, position=trap.position)
    game = CheckGame(rules=changed, seat=RED, label=trap.rule)
    async with open_harness(exam.conditions) as harness:
        played = await harness.play(game, trap.opponent)
    if played.evidence is not None:
        where = f"from a test position, after {write_count(played.result.plies or 0, 'ply')}"
        return explain_failure(f"{where}: {played.evidence.why}", played.evidence, played.record)
    temptations = trap.count_temptations(played.record)
    if not temptations:
        return Finding(
            "ok", f"never close to a repetition in {write_count(played.result.plies or 0, 'ply')} from a test position"
        )
    return Finding("ok", f"kept the rule on all {temptations} turns on which a repetition was possible")


# --- time -----------------------------------------------------------------------------------------


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
    lowest_bank_ms = bank_ms
    for game in games:
        clock = Clock(settings)
        for ms in game.turn_times_ms:
            clock.charge(game.seat, "turn", ms)
            lowest_bank_ms = min(lowest_bank_ms, clock.bank_ms[game.seat])
            clock.finish_turn(game.seat)
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
