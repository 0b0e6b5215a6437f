"""The texts around a board.  All foreign text in them is escaped, so that it is safe to print."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from arbiter.show.boards import write_counts, write_lost
from arbiter.show.grid import Square
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import SPECTATOR, Viewer, sees_secrets_of
from arbiter.show.replay.plain_text import list_remarks, write_heading
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import count_possible_ranks, describe_square
from arbiter.show.text import plain
from protocol.words import BLUE, OPPONENT, RED, SEATS, Seat

_DATE: Final = len("2026-11-22")


def write_title(replay: Replay) -> str:
    """Write the players, the rules and the id of a game."""
    header = replay.record.header
    names = [plain(header.seats[seat].name) if seat in header.seats else seat for seat in (RED, BLUE)]
    parts = (
        " \N{EN DASH} ".join(names),
        " ".join((header.rules, *header.options)),
        header.id,
        (header.started or "")[:_DATE],
    )
    return " · ".join(plain(part) for part in parts if part)


def write_player(replay: Replay, seat: Seat) -> str:
    """Write the name of a player, and the name and version of its program if they differ."""
    one = replay.record.header.seats.get(seat)
    if one is None:
        return seat
    program = " ".join(part for part in (one.program, one.version) if part)
    return plain(one.name + (f" ({program})" if program and program != one.name else ""))


def write_losses(frame: Frame, seat: Seat) -> str:
    """Write what a seat has lost."""
    return f"lost {write_lost(frame.view.captured.get(seat, {}))}"


def list_texts(replay: Replay, number: int, frame: Frame, viewer: Viewer, selected: Square | None) -> Iterator[str]:
    """List the texts below a board, except the fight: the act, the facts, the selected square, the remarks."""
    yield write_heading(frame, f" of {replay.ply(replay.last)}")
    yield from frame.story
    if selected is not None:
        yield describe_square(replay, number, viewer, selected)
    yield from frame.ending
    yield from list_remarks(frame)


def list_hidden(replay: Replay, number: int, viewer: Viewer) -> Iterator[str]:
    """List the ranks that the hidden pieces of each seat can still have for its opponent; nothing in a card game."""
    for seat in SEATS if replay.rules.board is not UNSET else ():
        foe = OPPONENT[seat]
        if sees_secrets_of(viewer, foe) or viewer == SPECTATOR:
            counts = count_possible_ranks(replay.view(number, foe), replay.rules, seat)
            yield f"{seat} hides from {foe}: {write_counts(counts) or 'nothing'}"
