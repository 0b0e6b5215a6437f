"""Let a bot play the positions of a suite, and judge what it does."""

from collections.abc import Callable
from typing import Final

from arbiter.errors import write_count
from arbiter.games.ending_words import write_ending
from arbiter.games.notation import write_action
from arbiter.preflight.examination import CheckedGame, CheckGame, Conditions, SelectedRules
from arbiter.preflight.harness import Harness, open_harness, play_whole_game
from arbiter.preflight.opponents import make_opponent
from arbiter.preflight.suite import Expected, Suite, SuiteAnswer, SuitePosition
from protocol.words import Resign

_GIVE_UP: Final = make_opponent(lambda _turn: Resign())


async def play_suite(
    suite: Suite, conditions: Conditions, report: Callable[[SuitePosition, SuiteAnswer], object]
) -> list[SuiteAnswer]:
    """Let a bot play the positions of a suite, one after another, and report each answer.

    The bot's process plays several positions; it is started again after a forfeit.
    Raises an ExceptionGroup of OSError if a process cannot be started.
    """
    answers: list[SuiteAnswer] = []
    while len(answers) < len(suite.positions):
        async with open_harness(conditions) as harness:
            handshake = await harness.greet()
            for position in suite.positions[len(answers) :]:
                if handshake.ready is None:
                    answer = SuiteAnswer(passed=False, got="did not start", evidence=handshake.evidence)
                else:
                    answer = await _play_position(position, conditions, harness)
                answers.append(answer)
                report(position, answer)
                if answer.evidence is not None:
                    break
            else:
                await harness.send_bye()
    return answers


async def _play_position(position: SuitePosition, conditions: Conditions, harness: Harness) -> SuiteAnswer:
    table = position.table
    game = CheckGame(
        rules=SelectedRules(position.rules, tuple(table.options)),
        seat=position.seat,
        label=table.name,
        overrides=position.overrides,
        position=position.letters,
    )
    if table.result is not None:
        return _judge_result(table.result, await play_whole_game(game, conditions, conditions.opponent))
    played = await harness.play(game, _GIVE_UP)
    if played.evidence is not None:
        return SuiteAnswer(
            passed=False, got=write_ending(played.result.ending), evidence=played.evidence, record=played.record
        )
    act = played.acts[0]
    got = write_action(act.action)
    passed = got in table.best if table.best else got not in table.avoid
    return SuiteAnswer(passed=passed, got=got, ms=act.ms, record=played.record)


def _judge_result(expected: Expected, played: CheckedGame) -> SuiteAnswer:
    winner = played.result.winner
    result = "win" if winner == played.seat else "loss" if winner else "draw"
    passed = result == "win" or (result == expected and played.evidence is None)
    ms = played.acts[0].ms if played.acts else None
    return SuiteAnswer(
        passed=passed,
        got=f"{result} ({write_ending(played.result.ending)}, {write_count(played.result.plies or 0, 'ply')})",
        ms=ms,
        evidence=played.evidence,
        record=played.record,
    )
