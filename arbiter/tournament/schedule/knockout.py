"""Knockout: the loser of a match is out, until one bot is left."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from arbiter.games.chance import derive_seed
from arbiter.tournament.fixture import Fixtures, Match, Meeting, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format
from arbiter.tournament.standings.crosstable import round_points
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing, rank_bots

PLAYOFF_PAIRS: Final = 3
ROUND_NAMES: Final = {1: "final", 2: "semi-final", 3: "quarter-final"}  # by the number of rounds left with it


def next_round(entrants: Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule one more pair of each tied match or, if none is tied, the next round of the bracket.

    A match is won on points.  If they are equal after all its games, one more pair is played at a time, at most
    `playoff_pairs` of them; then a random draw from the tournament's seed decides.
    """
    matches = build_bracket(entrants, games)
    if not rounds:
        byes = tuple(RoundBye(entrants.first_round, match.one, 0, 0) for match in matches if match.two is None)
        return Round(_schedule_matches(entrants, matches), byes)
    fixtures = _schedule_matches(entrants, [match for match in matches if match.winner is None])
    is_playoff = rounds[-1].fixtures.last_round == max(match.round for match in matches)
    return Round(fixtures, extra=len(fixtures) if is_playoff else 0)


def _schedule_matches(entrants: Entrants, matches: Iterable[Match]) -> Fixtures:
    """Schedule all games of matches that have not begun, or one more pair of matches that are tied."""
    meetings = tuple(
        Meeting(match.one, match.two, match.round, match.games // 2 + 1) for match in matches if match.two is not None
    )
    is_first = all(meeting.first_pair == 1 for meeting in meetings)
    return Fixtures(meetings, pairs=entrants.games // 2 if is_first else 1, stage=entrants.stage)


def build_bracket(entrants: Entrants, games: Iterable[StoredGame]) -> list[Match]:
    """List the matches that are known, round by round; one that is not decided has no winner."""
    played: dict[frozenset[str], list[StoredGame]] = {}
    for game in games:
        played.setdefault(frozenset((game.red, game.blue)), []).append(game)
    alive: list[str | None] = [
        entrants.bots[seed] if seed < len(entrants.bots) else None for seed in seed_order(len(entrants.bots))
    ]
    matches: list[Match] = []
    number = entrants.first_round
    while len(alive) > 1:
        current = [
            _judge_match(entrants, number, one, two, played) for one, two in zip(alive[::2], alive[1::2], strict=True)
        ]
        matches += current
        alive = [match.winner for match in current]
        if None in alive:
            break
        number += 1
    return matches


def seed_order(count: int) -> list[int]:
    """List the seeds, counted from 0, in the order of the bracket: the best meet as late as possible.

    Seeds beyond the last bot are byes, so the best have them.
    """
    order = [0]
    while len(order) < count:
        order = [place for seed in order for place in (seed, 2 * len(order) - 1 - seed)]
    return order


def _judge_match(
    entrants: Entrants, number: int, one: str | None, two: str | None, played: dict[frozenset[str], list[StoredGame]]
) -> Match:
    """Make a match with its points so far, its winner and what decided it."""
    one, two = (one, two) if one is not None else (two, one)
    assert one is not None  # noqa: S101 - of two seeds that face each other at least one is a bot
    if two is None:
        return Match(number, one, None, winner=one, how="bye")
    games = played.get(frozenset((one, two)), [])
    points = {
        bot: round_points(sum(game.red_points if game.red == bot else game.blue_points for game in games))
        for bot in (one, two)
    }
    match = Match(number, one, two, points[one], points[two], len(games))
    if len(games) < entrants.games or len(games) % 2:
        return match
    if points[one] != points[two]:
        how = "further games" if len(games) > entrants.games else "games"
        return replace(match, winner=max(one, two, key=lambda bot: points[bot]), how=how)
    playoff_pairs = PLAYOFF_PAIRS if entrants.playoff_pairs is None else entrants.playoff_pairs
    if len(games) < entrants.games + 2 * playoff_pairs:
        return match
    lot = derive_seed(entrants.seed, "lot", entrants.stage, *sorted((one, two)))
    return replace(match, winner=sorted((one, two))[lot % 2], how="lot")


def rank_by_round(entrants: Entrants, games: Iterable[StoredGame], byes: Sequence[RoundBye]) -> tuple[Standing, ...]:
    """Rank by the round reached: bots that lost in the same round share a rank, those still in share the first."""
    games = tuple(games)
    lost = {match.loser: match.round for match in build_bracket(entrants, games) if match.loser}
    end = entrants.first_round + (len(entrants.bots) - 1).bit_length()
    plain = {one.bot: one for one in rank_bots(entrants.bots, games, ("points",), entrants.seed, byes)}
    return tuple(
        replace(
            plain[bot],
            rank=1 + sum(lost.get(other, end) > lost.get(bot, end) for other in entrants.bots),
            reached=ROUND_NAMES.get(end - lost[bot], f"round of {2 ** (end - lost[bot])}") if bot in lost else None,
        )
        for bot in sorted(entrants.bots, key=lambda bot: -lost.get(bot, end))
    )


KNOCKOUT: Final = Format(
    settings=frozenset({"further_pairs"}),
    next_round=next_round,
    least=lambda entrants: (len(entrants.bots) - 1) * entrants.games,
    rank=rank_by_round,
    detail="bracket",
    follows_results=True,
    is_closed=True,
)
