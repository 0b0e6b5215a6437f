"""A short clip of a game: which frames it shows, for how long, and with which captions."""

from collections.abc import Iterable, Sequence
from typing import Final, get_args

from msgspec import Struct

from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.turning_points import TurningPointKind

LAST_MS: Final = 3000
"""Duration of the last frame."""
LONGEST_MS: Final = 20_000
"""The most that a story lasts."""
_SETUP_MS: Final = 1200
_BEFORE_MS: Final = 500
_POINT_MS: Final = 1900
_BEFORE: Final = 2  # frames that lead to a turning point
_MOST_POINTS: Final = (LONGEST_MS - _SETUP_MS - LAST_MS) // (_BEFORE * _BEFORE_MS + _POINT_MS)
_FEWEST_FRAMES: Final = 10  # of a game without turning points


class Shot(Struct, frozen=True):
    """A frame of a clip."""

    number: int
    ms: int
    caption: str = ""


def show_all(numbers: Iterable[int], speed: float) -> Sequence[Shot]:
    """Show frames one after the other, so many per second, and the last one longer."""
    *before, last = numbers
    return [*(Shot(number, round(1000 / speed)) for number in before), Shot(last, LAST_MS)]


def cut_story(replay: Replay, viewer: Viewer) -> Sequence[Shot]:
    """Show the most important turning points that a viewer may know, each with the two frames before it.

    The clip begins with the setup, ends with the last frame, and lasts at most LONGEST_MS.  A game without turning
    points is shown by its last frames.
    """
    weights = {kind: weight for weight, kind in enumerate(get_args(TurningPointKind))}
    captions: dict[int, list[str]] = {}
    lightest: dict[int, int] = {}
    for number, point in replay.turning_points(viewer):
        captions.setdefault(number, []).append(point.describe(replay.sentences))
        lightest[number] = min(weights[point.kind], lightest.get(number, len(weights)))
    inner = sorted((number for number in captions if number != replay.last), key=lambda number: lightest[number])
    points = sorted(inner[:_MOST_POINTS])
    if not captions:
        points = list(range(max(1, replay.last - _FEWEST_FRAMES), replay.last))
    shots = [Shot(0, _SETUP_MS)] if replay.last else []
    for number in points:
        lead = range(max(shots[-1].number + 1, number - _BEFORE), number)
        shots += [Shot(one, _BEFORE_MS) for one in lead]
        shots.append(Shot(number, _POINT_MS if captions else _BEFORE_MS, "; ".join(captions.get(number, ()))))
    return [*shots, Shot(replay.last, LAST_MS, "; ".join(captions.get(replay.last, ())))]
