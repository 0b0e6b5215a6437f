"""Ratings of a season: one fit for all events with the same rules, in which each version of a program is a player."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.pairs import merge_games
from arbiter.tournament.ratings.values import Estimate, Ratings, find_anchor
from arbiter.tournament.season.table import EventResult

_EARLIER_DRAWS: Final = 200  # samples for the interval of a rating in the past


class RatingPoint(Struct, frozen=True, kw_only=True):
    """The rating of a bot after an event that it played."""

    event: int
    """Number of the event, from 1."""
    player: str
    """The version that played last: the bot, or BOT@DIGEST if it has several."""
    rating: Estimate


class SeasonRatings(Struct, frozen=True, kw_only=True):
    """The ratings of the events with the same rules."""

    events: tuple[int, ...]
    """Their numbers, from 1."""
    rules: str
    ratings: Ratings
    history: Mapping[str, tuple[RatingPoint, ...]]
    """For each bot, after each of its events, by the games until then."""


def rate_season(
    events: Sequence[EventResult], anchor: str | None = None, *, with_history: bool = True
) -> tuple[SeasonRatings, ...]:
    """Rate all events with the same rules by one fit; `anchor` is BOT=RATING.

    Raises ConfigError if no event has the bot of the anchor.
    """
    begun = [(number, event) for number, event in enumerate(events, start=1) if event.has_begun]
    pools: dict[int, list[tuple[int, EventResult]]] = {}
    for number, event in begun:
        pools.setdefault(event.pool, []).append((number, event))
    if anchor is not None:
        _check_anchor(anchor, [event for _, event in begun])
    return tuple(_rate_pool(pool, anchor, with_history=with_history) for pool in pools.values())


def _check_anchor(anchor: str, events: Sequence[EventResult]) -> None:
    merged = [*merge_games([event.games for event in events])]
    try:
        find_anchor(anchor, sorted({bot for game in merged for bot in (game.red, game.blue)}))
    except ConfigError as error:
        raise ConfigError(f"anchor: {error}") from None


def _rate_pool(pool: Sequence[tuple[int, EventResult]], anchor: str | None, *, with_history: bool) -> SeasonRatings:
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import

    events = [event for _, event in pool]
    games = merge_games([event.games for event in events])
    players = sorted({name for game in games for name in (game.red, game.blue)})
    is_in_pool = anchor is not None and anchor.rpartition("=")[0] in players
    fixed = find_anchor(anchor, players) if anchor is not None and is_in_pool else None
    seed = events[0].seed
    ratings = rate(players, games, seed, fixed)
    history: dict[str, list[RatingPoint]] = {}
    end = 0
    for number, event in pool if with_history else ():
        begin, end = end, end + len(event.games)
        versions: dict[str, str] = {}
        for game, merged in zip(event.games, games[begin:end], strict=True):
            versions |= {game.red: merged.red, game.blue: merged.blue}
        is_last = end == len(games)
        found = ratings if is_last else rate(players, games[:end], seed, fixed, _EARLIER_DRAWS)
        estimates = {one.bot: one.rating for one in found.bots}
        for bot, player in versions.items():
            if (estimate := estimates.get(player)) is not None:
                history.setdefault(bot, []).append(RatingPoint(event=number, player=player, rating=estimate))
    return SeasonRatings(
        events=tuple(number for number, _ in pool),
        rules=events[0].rules,
        ratings=ratings,
        history={bot: tuple(points) for bot, points in history.items()},
    )
