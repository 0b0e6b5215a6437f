"""Run a check, with the list of its steps and their order."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import Conditions, Examination, SelectedRules
from arbiter.preflight.opponents import MORE_SQUARES_TRAP, TWO_SQUARES_TRAP
from arbiter.preflight.steps import lifecycle, memory, playing

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
