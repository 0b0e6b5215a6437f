"""Bots whose games come from several versions of their programs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from arbiter.show.tables.sheet import JSON, Column, Sheet
from arbiter.tournament.standings.stored_game import StoredGame

_DIGITS: Final = 16


def with_versions(sheet: Sheet, games: Iterable[StoredGame]) -> Sheet:
    """Add notes about bots with several versions to a sheet of standings, and the number of versions to its objects."""
    versions = _count_versions(games)
    find_bot = sheet.column("bot").read
    count: Column[Any] = Column("versions", value=lambda item: len(versions.get(find_bot(item), ())), on=JSON)
    return sheet.add([count]).note(_describe_versions(versions))


def _count_versions(games: Iterable[StoredGame]) -> dict[str, Counter[str]]:
    """Count the games of each bot by the digest of its program."""
    versions: dict[str, Counter[str]] = {}
    for game in games:
        for bot, digest in ((game.red, game.red_program), (game.blue, game.blue_program)):
            if digest:
                versions.setdefault(bot, Counter())[digest] += 1
    return versions


def _describe_versions(versions: dict[str, Counter[str]]) -> Iterator[str]:
    for bot, counts in versions.items():
        if len(counts) > 1:
            games = ", ".join(f"{count} with {digest[:_DIGITS]}" for digest, count in counts.items())
            yield f"the games of {bot} come from {len(counts)} versions of its program: {games}"
