"""The terms of a ladder that are over, as a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from arbiter.show.tables.sheet import JSON, Column, Sheet
from arbiter.show.text import write_minute, write_score
from arbiter.tournament.schedule.unrated import UnratedMatch
from arbiter.tournament.standings.crosstable import PlainTable
from arbiter.tournament.standings.stored_game import StoredGame, score_game
from arbiter.tournament.standings.table import Standing


class ClosedTerm(Protocol):
    """A term of a ladder that is over."""

    @property
    def number(self) -> int: ...
    @property
    def results(self) -> Path: ...
    @property
    def games(self) -> int: ...
    @property
    def first_at(self) -> str: ...
    @property
    def last_at(self) -> str: ...
    @property
    def ranking(self) -> tuple[Standing, ...]: ...
    @property
    def table(self) -> PlainTable: ...


def _find_winner(term: ClosedTerm) -> str:
    return term.ranking[0].bot if term.ranking else ""


TERMS: list[Column[ClosedTerm]] = [
    Column("term", value=lambda one: one.number),
    Column("games", value=lambda one: one.games),
    Column("from", value=lambda one: one.first_at, text=lambda one: one.first_at[:10], align="left"),
    Column("to", value=lambda one: one.last_at, text=lambda one: one.last_at[:10], align="left"),
    Column("first", value=_find_winner, align="left"),
    Column("results", value=lambda one: str(one.results), align="left"),
]


def terms_sheet(terms: Sequence[ClosedTerm]) -> Sheet:
    """Make the table of terms."""
    return Sheet(title="Terms", columns=TERMS, items=terms)


def term_object(term: ClosedTerm) -> Mapping[str, Any]:
    """Make the JSON object of a term."""
    return terms_sheet([term]).objects[0]


# --- unrated matches ------------------------------------------------------------------------------


PlayedMatch = tuple[UnratedMatch, Sequence[StoredGame]]
"""An unrated match with its finished games."""


def find_match_score(played: PlayedMatch) -> str:
    """Write the score of a match from the view of its first bot; empty before the first game."""
    match, games = played
    scores = [score_game(game, match.one) for game in games]
    return write_score(scores.count(1.0), scores.count(0.5), scores.count(0.0)) if scores else ""


def describe_match_state(played: PlayedMatch) -> str:
    """Describe how far a match is."""
    match, games = played
    if len(games) == match.games:
        return "over"
    return f"{len(games)} of {match.games} games" if games else "waits"


_MATCHES: Final[tuple[Column[PlayedMatch], ...]] = (
    Column("match", value=lambda one: one[0].number),
    Column("one", value=lambda one: one[0].one, align="left"),
    Column("two", value=lambda one: one[0].two, align="left"),
    Column("score", value=find_match_score, align="left"),
    Column("state", value=describe_match_state, align="left"),
    Column("asked", value=lambda one: one[0].at, text=lambda one: write_minute(one[0].at), align="left"),
    Column("by", value=lambda one: one[0].by, align="left"),
    Column("games", value=lambda one: [game.id for game in one[1]], on=JSON),
)


def matches_sheet(matches: Sequence[PlayedMatch]) -> Sheet:
    """Make the table of unrated matches."""
    return Sheet(title="Unrated matches", columns=_MATCHES, items=matches)
