"""Path data of SVG as polygons, for pictures made of pixels."""

import re
from collections.abc import Iterator
from math import atan2, cos, hypot, pi, sin, sqrt, tau
from typing import Final

from msgspec import Struct

Point = tuple[float, float]
_TOKEN: Final = re.compile(r"[MmLlHhVvCcAaZz]|-?(?:\d*\.\d+|\d+)")
_COUNTS: Final = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "a": 7, "z": 0}
_CURVE_STEPS: Final = 8
_ARC_STEP: Final = pi / 16


class Polygon(Struct):
    """A part of a path as points that straight lines join."""

    points: list[Point]
    closed: bool = False


def flatten_path(data: str) -> list[Polygon]:
    """Return the parts of a path with the commands M, L, H, V, C, A and Z, absolute and relative.

    Raises ValueError for any other command.
    """
    parts: list[Polygon] = []
    here: Point = (0.0, 0.0)
    for command, numbers in _read_commands(data):
        x, y = here if command.islower() else (0.0, 0.0)
        match command.lower():
            case "m":
                here = (x + numbers[0], y + numbers[1])
                parts.append(Polygon([here]))
                continue
            case "z":
                parts[-1].closed = True
                here = parts[-1].points[0]
                continue
            case "l":
                more = [(x + numbers[0], y + numbers[1])]
            case "h":
                more = [(x + numbers[0], here[1])]
            case "v":
                more = [(here[0], y + numbers[0])]
            case "c":
                pairs = zip(numbers[::2], numbers[1::2], strict=True)
                more = list(_flatten_curve(here, *((x + dx, y + dy) for dx, dy in pairs)))
            case _:
                end = (x + numbers[5], y + numbers[6])
                more = list(_flatten_arc(here, end, numbers[0], large=numbers[3] != 0, sweep=numbers[4] != 0))
        if parts[-1].closed:
            parts.append(Polygon([here]))
        parts[-1].points += more
        here = more[-1]
    return parts


def _read_commands(data: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each command with its numbers; numbers after the last ones repeat the command."""
    if rest := re.sub(r"[\s,]", "", _TOKEN.sub("", data)):
        raise ValueError(f"a path contains {rest!r}")
    tokens = _TOKEN.findall(data)
    at = 0
    command = ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command = tokens[at]
            at += 1
        count = _COUNTS[command.lower()]
        yield command, [float(token) for token in tokens[at : at + count]]
        at += count
        command = {"m": "l", "M": "L"}.get(command, command)


def _flatten_curve(start: Point, one: Point, two: Point, end: Point) -> Iterator[Point]:
    for step in range(1, _CURVE_STEPS + 1):
        t = step / _CURVE_STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        points = (start, one, two, end)
        yield (
            sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
            sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
        )


def _flatten_arc(start: Point, end: Point, radius: float, *, large: bool, sweep: bool) -> Iterator[Point]:
    """Yield the points of an arc of a circle."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    chord = hypot(dx, dy)
    radius = max(radius, chord / 2)
    offset = sqrt(max(0.0, radius * radius - chord * chord / 4)) * (1 if large == sweep else -1)
    middle = ((start[0] + end[0]) / 2 + offset * dy / chord, (start[1] + end[1]) / 2 - offset * dx / chord)
    first = atan2(start[1] - middle[1], start[0] - middle[0])
    last = atan2(end[1] - middle[1], end[0] - middle[0])
    turn = (last - first) % tau if sweep else -((first - last) % tau)
    steps = max(2, round(abs(turn) / _ARC_STEP))
    for step in range(1, steps + 1):
        angle = first + turn * step / steps
        yield middle[0] + radius * cos(angle), middle[1] + radius * sin(angle)
