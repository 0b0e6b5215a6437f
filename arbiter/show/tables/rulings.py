"""Rulings of the organiser: as sentences, footnotes and a sheet."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import asdict

from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.standings.stored_game import Ruling

_RESULTS: Final = {
    "red": "red wins",
    "blue": "blue wins",
    "draw": "draw",
    "none": "both lose",
    "annulled": "annulled",
    "replay": "to be played again",
}


def describe_ruling(ruling: Ruling) -> str:
    """Describe a ruling in a sentence: its number, author, date, effect and reason."""
    return f"ruling {ruling.number} ({ruling.by}, {ruling.at[:10]}): {_describe_effect(ruling)}: {ruling.because}"


def describe_rulings(rulings: Iterable[Ruling]) -> tuple[str, ...]:
    """Describe rulings as footnotes."""
    return tuple(map(describe_ruling, rulings))


def _describe_effect(ruling: Ruling) -> str:
    if ruling.undoes is not None:
        return f"ruling {ruling.undoes} on {ruling.game or ruling.bot} is reverted"
    if ruling.kind == "disqualify":
        return f"{ruling.bot} is disqualified"
    if ruling.kind == "reinstate":
        return f"the suspension of {ruling.bot} is lifted"
    if ruling.kind == "replay":
        return f"{ruling.game} is played again as {ruling.replacement}"
    return f"{ruling.game}: {_RESULTS[ruling.result or 'none']}, before: {_RESULTS[ruling.previous or 'none']}"


def rulings_sheet(rulings: Sequence[Ruling]) -> Sheet:
    """Make the sheet of all rulings, those that were reverted included."""
    undone = {ruling.undoes: ruling.number for ruling in rulings if ruling.undoes is not None}
    return Sheet(
        title="Rulings",
        head=("ruling", "at (UTC)", "by", "about", "effect", "because", "reverted by"),
        rows=tuple(
            (
                ruling.number,
                ruling.at[:16].replace("T", " "),
                ruling.by,
                ruling.game or ruling.bot,
                _describe_effect(ruling).removeprefix(f"{ruling.game}: "),
                ruling.because,
                undone.get(ruling.number),
            )
            for ruling in rulings
        ),
        objects=tuple({**asdict(ruling), "undone_by": undone.get(ruling.number)} for ruling in rulings),
    )
