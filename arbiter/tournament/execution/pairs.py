"""Play some pairs of games between two bots in this process, without storing them."""

from typing import Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.games.chance import Seed
from arbiter.sandbox.isolation import Isolation
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.events import Void
from arbiter.tournament.execution.local import Surroundings, try_game
from arbiter.tournament.execution.specs import GameSpecs
from arbiter.tournament.fixture import Fixture, Fixtures, Meeting

_TRIES: Final = 3


class Score(Struct, frozen=True, kw_only=True):
    """Results of games as the first bot sees them."""

    won: int
    drawn: int
    lost: int
    forfeited: int
    """Games that the first bot lost by forfeit, alone or with the other one."""
    forfeited_by_opponent: int
    why: str = ""
    """Reason of the last forfeit."""


async def play_pairs(tournament: Tournament, seed: Seed, pairs: int, isolation: Isolation, jobs: int) -> Score:
    """Play pairs of games between the two bots of a tournament, `jobs` games at a time.

    Raises ConfigError if a game is voided again and again.
    """
    one, two = tournament.file.bot_names
    specs = GameSpecs(tournament, seed)
    results: list[tuple[str | None, str, str]] = []  # winner, ending and reason of each game
    failures: list[ConfigError] = []
    limit = trio.CapacityLimiter(jobs)

    async def play(fixture: Fixture, nursery: trio.Nursery) -> None:
        async with limit:
            why = ""
            for _ in range(_TRIES):
                played = await try_game(fixture, specs.make(fixture), isolation, Surroundings(jobs))
                if isinstance(played, Void):
                    why = played.attempt.why.strip().rpartition("\n")[2]
                else:
                    result = played.game.result
                    results.append(
                        (None if result.winner is None else fixture.bots[result.winner], result.ending, result.why)
                    )
                    return
        failures.append(ConfigError(f"a game was voided {_TRIES} times: {why}"))
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for fixture in Fixtures((Meeting(one, two, 1),), pairs):
            nursery.start_soon(play, fixture, nursery)
    if failures:
        raise failures[0]
    forfeits = [(winner, why) for winner, ending, why in results if ending in FORFEITS]
    return Score(
        won=sum(winner == one for winner, _, _ in results),
        drawn=sum(winner is None for winner, _, _ in results),
        lost=sum(winner == two for winner, _, _ in results),
        forfeited=sum(winner != one for winner, _ in forfeits),
        forfeited_by_opponent=sum(winner != two for winner, _ in forfeits),
        why=forfeits[-1][1] if forfeits else "",
    )
