"""Games that only repeat an earlier one: bots that leave nothing to luck replay themselves, and prove nothing."""

from collections.abc import Iterable

from msgspec import Struct

from arbiter.tournament.standings.stored_game import StoredGame


class Repeats(Struct, frozen=True):
    """Of `games` of two bots, whichever side they had, `repeated` are identical to an earlier one of theirs."""

    one: str
    two: str
    games: int
    repeated: int


def repeats(games: Iterable[StoredGame]) -> tuple[Repeats, ...]:
    """Count the pairings' games that hold the same acts as an earlier one; pairings without such games are left out."""
    acts: dict[tuple[str, str], list[str]] = {}
    for game in games:
        if game.acts:
            acts.setdefault((min(game.red, game.blue), max(game.red, game.blue)), []).append(game.acts)
    return tuple(
        Repeats(*pairing, len(played), len(played) - len(set(played)))
        for pairing, played in sorted(acts.items())
        if len(set(played)) < len(played)
    )
