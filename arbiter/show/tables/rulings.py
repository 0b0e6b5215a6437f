"""Rulings of the organiser: as sentences, footnotes and a sheet."""

from collections.abc import Iterable, Sequence
from typing import Final

from arbiter.show.tables.sheet import JSON, SHOWN, Column, Sheet
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
    columns: tuple[Column[Ruling], ...] = (
        Column("ruling", value=lambda one: one.number, on=SHOWN),
        Column("at (UTC)", value=lambda one: one.at[:16].replace("T", " "), align="left", on=SHOWN),
        Column("by", align="left", on=SHOWN),
        Column("about", value=lambda one: one.game or one.bot, align="left", on=SHOWN),
        Column("effect", value=lambda one: _describe_effect(one).removeprefix(f"{one.game}: "), align="left", on=SHOWN),
        Column("because", align="left", on=SHOWN),
        *(Column(field, on=JSON) for field in Ruling.__struct_fields__),
        Column("undone_by", "reverted by", value=lambda one: undone.get(one.number)),
    )
    return Sheet(title="Rulings", columns=columns, items=rulings)
