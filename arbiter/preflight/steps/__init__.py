"""What is looked at, step by step: the one list that makes a step exist."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from arbiter.preflight.conditions import Chosen
from arbiter.preflight.examination import Examination
from arbiter.preflight.finding import Finding
from arbiter.preflight.steps import habits, leaving, obeying, opening, playing


class Step(Struct, frozen=True, kw_only=True):
    """A step: what it is called, what does it, when, and which steps must have gone well before."""

    name: str
    does: Callable[[Examination, Chosen], Awaitable[Finding]]
    when: Literal["first", "each", "last"] = "each"
    needs: tuple[str, ...] = ("deployment",)


STEPS: Final = (
    Step(name="start", does=opening.starts, when="first", needs=()),
    Step(name="handshake", does=opening.introduces_itself, when="first", needs=("start",)),
    Step(name="deployment", does=playing.sets_up, needs=("handshake",)),
    Step(name="games", does=playing.plays_random),
    Step(name="itself", does=playing.plays_itself),
    Step(name="two-squares", does=obeying.keeps_two_squares),
    Step(name="more-squares", does=obeying.keeps_more_squares),
    Step(name="unknown", does=habits.skips_unknown),
    Step(name="second-game", does=habits.plays_on),
    Step(name="same-seed", does=playing.plays_again, needs=("games",)),
    Step(name="time", does=habits.keeps_time, needs=("games",)),
    Step(name="memory", does=habits.keeps_to_its_memory, needs=("second-game",)),
    Step(name="bye", does=leaving.goes_at_bye, when="last", needs=("handshake",)),
    Step(name="end-of-input", does=leaving.goes_at_the_end, when="last", needs=("handshake",)),
    Step(name="kill", does=leaving.dies, when="last", needs=("handshake",)),
)


class Task(Struct, frozen=True):
    """A step to be done: its number, and for which rule set where it is done for each."""

    number: int
    step: Step
    rules: Chosen | None


def plan(chosen: Sequence[Chosen]) -> tuple[Task, ...]:
    """List what is to be done for some rule sets, in order."""
    of_each = [(step, rules) for rules in chosen for step in STEPS if step.when == "each"]
    first, last = ([(step, None) for step in STEPS if step.when == when] for when in ("first", "last"))
    return tuple(Task(number, *task) for number, task in enumerate([*first, *of_each, *last], start=1))
