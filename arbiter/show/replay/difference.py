"""Two records of one game compared: the first act in which they differ, or how they end, in words."""

from itertools import takewhile, zip_longest
from typing import Final

from msgspec import UNSET, Struct

from arbiter.games.notation import write_action
from arbiter.record import ActEntry, GameHeader, Record
from arbiter.show.replay.frame import tell_ending
from arbiter.show.replay.replay import Replay
from arbiter.show.text import plain
from protocol.words import Deploy

_SHOWN: Final = 8  # pieces of a deployment, cards of a deck


class Difference(Struct, frozen=True):
    """Where two records of a game part: at which act, counted from 1, in which ply (0 is the setup), and how.

    Act 0 is what luck gave before the first one.  `record` and `rerun` tell what stands there in each.
    """

    act: int
    ply: int
    record: str
    rerun: str


def first_difference(record: Record, rerun: Record) -> Difference | None:
    """Find where the second record departs from the first; None where acts and endings are the same.

    Times, notes and the wording of the ending may differ.  Raises RecordError and ConfigError as `Reel` does.
    """
    if _luck(record) != _luck(rerun):
        return Difference(0, 0, _begins(record.header), _begins(rerun.header))
    pairs = zip_longest(record.acts, rerun.acts)
    number = next((number for number, pair in enumerate(pairs) if not _alike(*pair)), None)
    if number is None and _ending(record) == _ending(rerun):
        return None
    at = len(record.acts) if number is None else number
    reels = Replay(record), Replay(rerun)
    words = _moment(reels[0], at, rerun), _moment(reels[1], at, record)
    if len(set(words)) == 1:
        words = words[0], f"{words[1]}, but it is written to have come to something else"
    return Difference(at + 1, max(_ply(reel, at) for reel in reels), *words)


def _luck(record: Record) -> object:
    return record.header.first, record.header.decks


def _begins(header: GameHeader) -> str:
    """Tell what luck gave: who begins, and the upper cards of the decks."""
    decks = {} if header.decks is UNSET else header.decks
    cards = (f"{seat}'s deck begins with {', '.join(deck[:_SHOWN])}" for seat, deck in decks.items())
    return plain("; ".join([f"{header.first or 'nobody'} begins", *cards]))


def _alike(one: ActEntry | None, other: ActEntry | None) -> bool:
    if one is None or other is None or UNSET in (one.facts, other.facts):
        return _act(one) == _act(other)
    return (_act(one), one.facts) == (_act(other), other.facts)


def _act(entry: ActEntry | None) -> object:
    return entry and (entry.seat, entry.action, entry.offer_draw, entry.deck)


def _ending(record: Record) -> object:
    return record.result and (record.result.winner, record.result.ending)


def _ply(reel: Replay, at: int) -> int:
    """Tell in which ply an act stands, or the end behind the last one."""
    frame = _frame(reel.record, at)
    if at == len(reel.record.acts):
        return reel.ply(reel.last)
    return reel.ply(frame) if frame <= reel.last else reel.ply(reel.last) + 1


def _frame(record: Record, at: int) -> int:
    """Return the number of the frame of an act; 0 is the setup."""
    return max(0, at + 1 - sum(1 for _ in takewhile(_deploys, record.acts)))


def _deploys(entry: ActEntry) -> bool:
    return isinstance(entry.action, Deploy)


def _moment(reel: Replay, at: int, other: Record) -> str:
    """Tell what stands at an act's place in a record: the act and what came of it, or how the game ended."""
    acts = reel.record.acts
    if at >= len(acts):
        return "; ".join(tell_ending(reel.record, "arbiter"))
    entry, frame = acts[at], _frame(reel.record, at)
    twin = other.acts[at] if at < len(other.acts) else None
    said = f"{entry.seat} {_action(entry, twin)}"
    if frame > reel.last:
        return f"{said}, which was refused"
    return "; ".join([said, *reel.frame(frame, "arbiter").story]) if frame else said


def _action(entry: ActEntry, twin: ActEntry | None) -> str:
    """Write an action; of a deployment only what differs from the other one."""
    action = entry.action
    if not isinstance(action, Deploy):
        return plain(write_action(action))
    other = twin.action if twin and isinstance(twin.action, Deploy) else Deploy()
    places, others = _placed(action), _placed(other)
    differing = [f"{what} on {place}" for place, what in places.items() if others.get(place) != what]
    more = f" and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
    return plain(f"deploys {', '.join(differing[:_SHOWN])}{more}".rstrip())


def _placed(action: Deploy) -> dict[str, str]:
    if action.pieces is UNSET:
        return {} if action.line is UNSET else {f"line:{slot}": place for slot, place in enumerate(action.line)}
    return dict(sorted(action.pieces.items()))
