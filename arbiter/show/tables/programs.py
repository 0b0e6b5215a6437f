"""Bots whose games come from several versions of their programs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.standings.stored_game import StoredGame

_DIGITS: Final = 16


def with_versions(sheet: Sheet, games: Iterable[StoredGame]) -> Sheet:
    """Add notes about bots with several versions to a sheet of standings, and the number of versions to its objects."""
    versions = _count_versions(games)
    objects = tuple({**one, "versions": len(versions.get(one["bot"], ()))} for one in sheet.objects)
    return replace(sheet, notes=(*sheet.notes, *_describe_versions(versions)), objects=objects)


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
