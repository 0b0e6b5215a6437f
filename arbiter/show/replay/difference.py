"""The first difference between two records of a game, in words."""

from itertools import takewhile, zip_longest
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from arbiter.errors import write_count
from arbiter.games.notation import write_action
from arbiter.languages.sentences import write_ending
from arbiter.record import ActEntry, GameHeader, GameResult, Record
from arbiter.show.replay.frame import describe_ending
from arbiter.show.replay.replay import Replay
from arbiter.show.text import plain
from protocol.words import Deploy

_SHOWN: Final = 8  # pieces of a deployment, cards of a deck


class RecordDifference(Struct, frozen=True):
    """The first difference between two records of a game."""

    act: int
    """Number of the act, from 1; 0 for the random choices before the first act."""
    ply: int
    """The ply of the act; 0 for the setup."""
    record: str
    """The act or ending in the first record."""
    rerun: str
    """The act or ending in the second record."""


def find_difference(record: Record, rerun: Record) -> RecordDifference | None:
    """Return the first difference between two records; None if acts, facts and endings are equal.

    Times, notes, evaluations and the wording of the ending may differ.  Raises RecordError and ConfigError, as Replay
    does.
    """
    if (record.header.first, record.header.decks) != (rerun.header.first, rerun.header.decks):
        return RecordDifference(0, 0, _describe_start(record.header), _describe_start(rerun.header))
    pairs = zip_longest(record.acts, rerun.acts)
    number = next((number for number, pair in enumerate(pairs) if not _are_equal(*pair)), None)
    endings = [one.result and (one.result.winner, one.result.ending) for one in (record, rerun)]
    if number is None and endings[0] == endings[1]:
        return None
    at = len(record.acts) if number is None else number
    before = Replay(record)
    after = Replay(rerun)
    words = _describe_act(before, at, rerun)
    other_words = _describe_act(after, at, record)
    if words == other_words:
        other_words = f"{words}, but with other facts in the record"
    return RecordDifference(at + 1, max(_ply_of(before, at), _ply_of(after, at)), words, other_words)


def _describe_start(header: GameHeader) -> str:
    """Describe the random choices before the first act: who begins, and the top cards of the decks."""
    decks = {} if header.decks is UNSET else header.decks
    cards = (f"{seat}'s deck begins with {', '.join(deck[:_SHOWN])}" for seat, deck in decks.items())
    return plain("; ".join([f"{header.first or 'nobody'} begins", *cards]))


def _are_equal(one: ActEntry | None, other: ActEntry | None) -> bool:
    if one is None or other is None:
        return False
    same_facts = one.facts == other.facts or UNSET in (one.facts, other.facts)
    one, other = (replace(act, ms=None, note=None, eval=None, facts=UNSET) for act in (one, other))
    return same_facts and one == other


def _ply_of(replay: Replay, at: int) -> int:
    """Return the ply of an act, or of the end after the last one."""
    frame = _frame_of(replay.record, at)
    if at == len(replay.record.acts):
        return replay.ply(replay.last)
    return replay.ply(frame) if frame <= replay.last else replay.ply(replay.last) + 1


def _frame_of(record: Record, at: int) -> int:
    """Return the number of the frame of an act; 0 is the setup."""
    deployments = sum(1 for _ in takewhile(lambda act: isinstance(act.action, Deploy), record.acts))
    return max(0, at + 1 - deployments)


def _describe_act(replay: Replay, at: int, other: Record) -> str:
    """Describe an act and its facts, or the ending if there is no such act."""
    acts = replay.record.acts
    if at >= len(acts):
        return "; ".join(describe_ending(replay.record, "arbiter"))
    entry = acts[at]
    frame = _frame_of(replay.record, at)
    text = write_action(entry.action)
    if isinstance(entry.action, Deploy):  # only what differs from the other one
        found = other.acts[at].action if at < len(other.acts) else None
        others = _placed(found) if isinstance(found, Deploy) else {}
        placed = _placed(entry.action).items()
        differing = [f"{piece} on {place}" for place, piece in placed if others.get(place) != piece]
        more = f" and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        text = f"deploys {', '.join(differing[:_SHOWN])}{more}".rstrip()
    action = f"{entry.seat} {plain(text)}"
    if frame > replay.last:
        return f"{action}, which was refused"
    return "; ".join([action, *replay.frame(frame, "arbiter").story]) if frame else action


def _placed(action: Deploy) -> dict[str, str]:
    if action.pieces is UNSET:
        return {} if action.line is UNSET else {f"line:{slot}": place for slot, place in enumerate(action.line)}
    return dict(sorted(action.pieces.items()))


def describe_rerun(game: str, result: GameResult, difference: RecordDifference | None) -> str:
    """Describe the result of a game that was played again, and its first difference from before."""
    why = write_ending(result.ending, result.reason)
    ending = f"{write_count(result.plies or 0, 'ply')}, {result.winner or 'nobody'} wins ({why})"
    if difference is None:
        return f"{plain(game)}: same game: {ending}"
    place = f"ply {difference.ply} (act {difference.act})" if difference.ply else "the deployment"
    return (
        f"{plain(game)}: different from {place} on; the rerun: {ending}\n"
        f"  before: {difference.record}\n"
        f"  now:    {difference.rerun}"
    )
