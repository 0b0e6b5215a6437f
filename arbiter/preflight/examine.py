"""The examination from its first step to its last."""

from collections.abc import Callable, Sequence
from typing import Final

from arbiter.errors import ConfigError
from arbiter.preflight.conditions import Chosen, Conditions
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import WENT_WELL, Finding, skipped
from arbiter.preflight.steps import Task, plan
from arbiter.referee.lag import RefereeStalled

_TRIES: Final = 3

Begin = Callable[[Task], object]
Tell = Callable[[Task, Finding], object]


async def examine(conditions: Conditions, chosen: Sequence[Chosen], begin: Begin, tell: Tell, *, to_end: bool) -> None:
    """Examine a bot by some rule sets, to the end or to the first failure.

    Each step is begun and told of as it comes.  Raises ConfigError where this machine could not carry a step out.
    """
    exam, fine = Examination(conditions), set[tuple[str, Chosen | None]]()
    for task in plan(chosen):
        begin(task)
        finding = _not_tried(task, fine) or await _done(task, exam, task.rules or chosen[0])
        tell(task, finding)
        if finding.status in WENT_WELL:
            fine.add((task.step.name, task.rules))
        if finding.status == "failed" and not to_end:
            return


def _not_tried(task: Task, fine: set[tuple[str, Chosen | None]]) -> Finding | None:
    """Skip a step for which another one had to go well before."""
    lacking = [name for name in task.step.needs if not {(name, task.rules), (name, None)} & fine]
    return skipped(f"not tried, because '{lacking[0]}' did not go well") if lacking else None


async def _done(task: Task, exam: Examination, rules: Chosen) -> Finding:
    """Do a step, and again where the arbiter stood still when the bot's time ran out."""
    failure = ""
    for _ in range(_TRIES):
        try:
            return await task.step.does(exam, rules)
        except* RefereeStalled as stalls:
            failure = str(stalls.exceptions[0])
        except* OSError as errors:
            failure = f"a process could not be started: {errors.exceptions[0]}"
    raise ConfigError(f"step {task.number}, {task.step.name}: {failure}; try again when this machine is less busy")
