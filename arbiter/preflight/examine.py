"""Run a check, with the list of its steps and their order, or let a bot play the positions of a suite."""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, Literal

import trio
from msgspec import Struct

from arbiter.errors import ConfigError, write_count
from arbiter.games.ending_words import write_ending
from arbiter.games.notation import write_action
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import CheckGame, Conditions, Examination, SelectedRules
from arbiter.preflight.harness import Harness, open_harness, play_whole_game
from arbiter.preflight.opponents import MORE_SQUARES_TRAP, TWO_SQUARES_TRAP, make_opponent
from arbiter.preflight.steps import lifecycle, memory, playing
from arbiter.preflight.suite import Suite, SuiteAnswer, SuitePosition
from protocol.words import Resign

_TRIES: Final = 3


class Step(Struct, frozen=True, kw_only=True):
    """A step of a check."""

    name: str
    run: Callable[[Examination, SelectedRules], Awaitable[Finding]]
    when: Literal["first", "each", "last"] = "each"
    """`each` runs the step for each rule set, the others run it once."""
    needs: tuple[str, ...] = ("opening",)
    """Steps that must pass before; the step is skipped otherwise."""


STEPS: Final = (
    Step(name="start", run=lifecycle.check_start, when="first", needs=()),
    Step(name="handshake", run=lifecycle.check_handshake, when="first", needs=("start",)),
    Step(name="opening", run=playing.check_opening, needs=("handshake",)),
    Step(name="games", run=playing.check_games),
    Step(name="itself", run=playing.check_game_against_itself),
    Step(name="two-squares", run=partial(playing.check_repetition, trap=TWO_SQUARES_TRAP)),
    Step(name="more-squares", run=partial(playing.check_repetition, trap=MORE_SQUARES_TRAP)),
    Step(name="unknown", run=lifecycle.check_unknown_messages),
    Step(name="second-game", run=memory.check_second_game),
    Step(name="same-seed", run=playing.check_same_seed, needs=("games",)),
    Step(name="time", run=playing.check_time, needs=("games",)),
    Step(name="memory", run=memory.check_memory, needs=("second-game",)),
    Step(name="bye", run=lifecycle.check_bye, when="last", needs=("handshake",)),
    Step(name="end-of-input", run=lifecycle.check_end_of_input, when="last", needs=("handshake",)),
    Step(name="kill", run=lifecycle.check_kill, when="last", needs=("handshake",)),
)


class Task(Struct, frozen=True):
    """A step to run, for one rule set if the step depends on it."""

    number: int
    step: Step
    rules: SelectedRules | None


def plan(selected: Sequence[SelectedRules]) -> tuple[Task, ...]:
    """List the tasks for some rule sets in order."""
    steps: list[tuple[Step, SelectedRules | None]] = [
        *((step, None) for step in STEPS if step.when == "first"),
        *((step, rules) for rules in selected for step in STEPS if step.when == "each"),
        *((step, None) for step in STEPS if step.when == "last"),
    ]
    return tuple(Task(number, step, rules) for number, (step, rules) in enumerate(steps, start=1))


async def examine(
    conditions: Conditions,
    selected: Sequence[SelectedRules],
    begin: Callable[[Task], object],
    report: Callable[[Task, Finding], object],
    *,
    to_end: bool,
) -> Examination:
    """Examine a bot by some rule sets, to the end or to the first failure, and return what was measured.

    Calls `begin` before each task and `report` after it.
    Raises ConfigError if this machine could not run a step.
    """
    exam = Examination(conditions)
    passed: set[tuple[str, str | None]] = set()
    for task in plan(selected):
        begin(task)
        rules = None if task.rules is None else task.rules.name
        missing = [name for name in task.step.needs if not {(name, rules), (name, None)} & passed]
        if missing:
            finding = Finding("skipped", f"step '{missing[0]}' did not pass")
        else:
            finding = await _run(task, exam, task.rules or selected[0])
        report(task, finding)
        if finding.status in ("ok", "advice"):
            passed.add((task.step.name, rules))
        if finding.status == "failed" and not to_end:
            break
    return exam


async def _run(task: Task, exam: Examination, rules: SelectedRules) -> Finding:
    """Run a step, and again if a process could not be started."""
    failure = ""
    for _ in range(_TRIES):
        try:
            return await task.step.run(exam, rules)
        except* OSError as errors:
            failure = f"a process could not be started: {errors.exceptions[0]}"
    raise ConfigError(f"step {task.number}, {task.step.name}: {failure}; try again when this machine is less busy")


# --- suites ---------------------------------------------------------------------------------------


_GIVE_UP: Final = make_opponent(lambda _turn: Resign())


async def play_suite(
    suite: Suite, conditions: Conditions, report: Callable[[SuitePosition, SuiteAnswer], object], jobs: int = 1
) -> None:
    """Let a bot play the positions of a suite, `jobs` of them at a time, and report each answer in their order.

    A process of the bot plays several positions, one after another; it is started again after a forfeit.
    Raises an ExceptionGroup of OSError if a process cannot be started.
    """
    waiting = deque(enumerate(suite.positions))
    early: dict[int, SuiteAnswer] = {}  # answers that wait for those before them
    reported = 0

    def note(number: int, answer: SuiteAnswer) -> None:
        nonlocal reported
        early[number] = answer
        while reported in early:
            report(suite.positions[reported], early.pop(reported))
            reported += 1

    async def play_some() -> None:
        while waiting:
            async with open_harness(conditions) as harness:
                handshake = await harness.greet()
                while waiting:
                    number, position = waiting.popleft()
                    if handshake.ready is None:
                        answer = SuiteAnswer(passed=False, got="did not start", evidence=handshake.evidence)
                    else:
                        answer = await _play_position(position, conditions, harness)
                    note(number, answer)
                    if answer.evidence is not None:
                        break
                else:
                    await harness.send_bye()

    async with trio.open_nursery() as nursery:
        for _ in range(min(jobs, len(waiting))):
            nursery.start_soon(play_some)


async def _play_position(position: SuitePosition, conditions: Conditions, harness: Harness) -> SuiteAnswer:
    table = position.table
    rules = SelectedRules(position.rules, tuple(table.options), position.overrides, position.letters)
    game = CheckGame(rules=rules, seat=position.seat, label=table.name)
    if table.result is not None:
        played = await play_whole_game(game, conditions, conditions.opponent)
        winner = played.result.winner
        result = "win" if winner == played.seat else "loss" if winner else "draw"
        return SuiteAnswer(
            passed=result == "win" or (result == table.result and played.evidence is None),
            got=f"{result} ({write_ending(played.result.ending)}, {write_count(played.result.plies or 0, 'ply')})",
            ms=played.acts[0].ms if played.acts else None,
            evidence=played.evidence,
            record=played.record,
        )
    played = await harness.play(game, _GIVE_UP)
    if played.evidence is not None:
        return SuiteAnswer(
            passed=False, got=write_ending(played.result.ending), evidence=played.evidence, record=played.record
        )
    act = played.acts[0]
    got = write_action(act.action)
    passed = got in table.best if table.best else got not in table.avoid
    return SuiteAnswer(passed=passed, got=got, ms=act.ms, record=played.record)
