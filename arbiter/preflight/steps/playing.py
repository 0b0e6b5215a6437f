"""Steps: deployment and first moves, whole games, the repetition rules, and the same game from the same seed."""

from statistics import median
from typing import Final

from arbiter.errors import write_count
from arbiter.games.ending_words import write_ending
from arbiter.games.notation import write_action
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import CheckedGame, CheckGame, Examination, SelectedRules
from arbiter.preflight.harness import open_harness, play_whole_game
from arbiter.preflight.mistakes import explain_failure
from arbiter.preflight.opponents import RANDOM_OPPONENT, Trap
from protocol.words import RED, SEATS

_FIRST_PLIES: Final = 20
_TRAP_PLIES: Final = 240


async def check_deployment(exam: Examination, rules: SelectedRules) -> Finding:
    """Let the bot deploy and make its first moves, with each colour."""
    times_ms: list[float] = []
    for seat in SEATS:
        async with open_harness(exam.conditions) as harness:
            game = await harness.play(exam.make_game(rules, seat, f"setup-{seat}", plies=_FIRST_PLIES), RANDOM_OPPONENT)
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
        f"{write_count(game.result.plies or 0, 'ply')} against itself: {game.result.why or write_ending(game.result.ending)}",
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
    game = CheckGame(rules=rules, seat=RED, label=trap.rule, overrides=overrides, position=trap.position)
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
