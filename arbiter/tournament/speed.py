"""The speed of a core of this machine, from a short fixed benchmark in which only processor time counts."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Final

_ROUNDS: Final = 30
_DIGITS: Final = 3
_PRIME: Final = 2**607 - 1
_NUMBERS: Final = 12_000
_STEPS: Final = 30_000
_SQUARES: Final = 100


def measure_speed() -> float:
    """Return the speed of a core relative to the reference, which is a core of an AMD EPYC server: 2 is twice as fast.

    The best of many short rounds counts, so other programs on the machine change little.  It takes about 0.3 s.
    """
    numbers = _make_numbers(_NUMBERS)
    places = {number: place for place, number in enumerate(numbers)}
    parts: Sequence[tuple[Callable[[], object], float]] = (  # each with its time on the reference, in ms
        (_play_on_board, 4.05),
        (lambda: sorted(numbers), 1.75),
        (lambda: (pow(3, 2**400 - 1, _PRIME), pow(5, 2**400 - 3, _PRIME)), 0.84),
        (lambda: [sum(map(places.__getitem__, numbers)) for _ in range(5)], 1.5),
    )
    best_ms = [math.inf] * len(parts)
    for _ in range(_ROUNDS):
        for number, (part, _reference_ms) in enumerate(parts):
            begun = time.thread_time()
            part()
            best_ms[number] = min(best_ms[number], (time.thread_time() - begun) * 1000)
    ratios = (reference_ms / ms for (_, reference_ms), ms in zip(parts, best_ms, strict=True))
    return round(math.prod(ratios) ** (1 / len(parts)), _DIGITS)


def _make_numbers(count: int) -> list[int]:
    """Make the numbers of a fixed random sequence."""
    numbers = [1]
    while len(numbers) < count:
        numbers.append((numbers[-1] * 1_103_515_245 + 12_345) & 0x7FFFFFFF)
    return numbers


def _play_on_board() -> list[int]:
    """Count visits of random squares, a loop as in a bot that is written in Python."""
    board = [0] * _SQUARES
    number = 1
    for _ in range(_STEPS):
        number = (number * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        square = number % _SQUARES
        board[square] = 0 if board[square] > 2 else board[square] + 1  # noqa: PLR2004 - a branch that is hard to predict
    return board
