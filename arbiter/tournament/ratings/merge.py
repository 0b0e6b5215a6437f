"""Combine the games of several tournaments and matches, with each version of a bot as a player."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from arbiter.tournament.standings.stored_game import StoredGame

_DIGITS: Final = 8  # of the digest of a program, in the name of a version

Versions = dict[str, set[str]]


def merge_games(sources: Iterable[Sequence[StoredGame]], *, merge_versions: bool = False) -> list[StoredGame]:
    """Combine games; games of different sources belong to different pairs.

    If a bot has played with several programs, each is a player of its own, named BOT@ and the start of the digest of
    the program, unless `merge_versions`.  Games with an unknown program keep the name of the bot.
    """
    sources = list(sources)
    versions: Versions = defaultdict(set)
    for game in (game for source in sources for game in source):
        versions[game.red].add(game.red_program)
        versions[game.blue].add(game.blue_program)
    merged = []
    for number, source in enumerate(sources, start=1):
        for game in source:
            red, blue = game.red, game.blue
            stage, _, _ = game.id.partition(f"{red}~{blue}~{game.pair}")
            if not merge_versions:
                red = _name_version(red, game.red_program, versions)
                blue = _name_version(blue, game.blue_program, versions)
            merged.append(replace(game, id=f"{number}~{stage}{red}~{blue}~{game.pair}", red=red, blue=blue))
    return merged


def _name_version(bot: str, program: str, versions: Versions) -> str:
    return f"{bot}@{program[:_DIGITS]}" if program and len(versions[bot] - {""}) > 1 else bot
