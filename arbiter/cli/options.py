"""Options that several commands share, given to a command together."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

Command = Callable[..., Any]


def give(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Make a decorator that gives a command all of some options, in the order in which they are listed."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)
