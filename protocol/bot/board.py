"""The squares of a board and what lies beside what.  Knows no pieces."""

from typing import Final

from protocol.messages import BoardShape
from protocol.words import RED, Place, Seat

_WAYS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
Point = tuple[int, int]


class Board:
    """The squares of a board game, without the lakes.

    `squares` lists them from a1, row by row; `rays` maps each to the lines of squares that run from it to a
    lake or the edge, nearest first; `neighbours` maps each to the squares beside it; `files` and `rows` count.
    """

    def __init__(self, shape: BoardShape) -> None:
        self.files = shape.files
        self.rows = shape.rows
        points = [(file, row) for row in range(shape.rows) for file in range(shape.files)]
        named = {(file, row): f"{chr(ord('a') + file)}{row + 1}" for file, row in points}
        land = {point: place for point, place in named.items() if place not in shape.lakes}
        self.squares: tuple[Place, ...] = tuple(land.values())
        self.rays: dict[Place, tuple[tuple[Place, ...], ...]] = {
            place: tuple(ray for way in _WAYS if (ray := _ray(point, way, land))) for point, place in land.items()
        }
        self.neighbours: dict[Place, tuple[Place, ...]] = {
            place: tuple(ray[0] for ray in rays) for place, rays in self.rays.items()
        }
        self._steps: dict[Place, dict[Place, int]] = {}

    def steps(self, start: Place) -> dict[Place, int]:
        """Count the steps from a square to each that can be reached from it, round the lakes; itself is 0."""
        if start not in self._steps:
            self._steps[start] = self._count(start)
        return self._steps[start]

    def _count(self, start: Place) -> dict[Place, int]:
        steps = {start: 0}
        queue = [start]
        for place in queue:
            for neighbour in self.neighbours[place]:
                if neighbour not in steps:
                    steps[neighbour] = steps[place] + 1
                    queue.append(neighbour)
        return steps

    def depth(self, place: Place, seat: Seat) -> int:
        """Count the rows from the seat's back row, which is 0, to a square."""
        row = int(place[1:])
        return row - 1 if seat == RED else self.rows - row


def _ray(start: Point, way: Point, land: dict[Point, Place]) -> tuple[Place, ...]:
    (file, row), (right, up) = start, way
    ray: list[Place] = []
    while (place := land.get((file + right * (len(ray) + 1), row + up * (len(ray) + 1)))) is not None:
        ray.append(place)
    return tuple(ray)
