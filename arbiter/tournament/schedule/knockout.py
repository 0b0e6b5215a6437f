"""Knockout: the loser of a match is out, until one bot is left."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import replace

from arbiter.games.chance import derive_seed
from arbiter.tournament.fixture import Fixtures, Match, Meeting, Round, RoundBye
from arbiter.tournament.schedule.format import Entrants, Format, FormatSettings
from arbiter.tournament.standings.crosstable import Bracket, round_points
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing

ROUND_NAMES: Final = {1: "final", 2: "semi-final", 3: "quarter-final"}  # by the number of rounds left with it


class KnockoutSettings(FormatSettings, frozen=True, kw_only=True):
    """Settings of a knockout."""

    further_pairs: Annotated[int, Meta(ge=0, le=1000)] = 3
    """Maximum number of additional pairs of games in a tied match."""
    sudden_death: Annotated[int, Meta(ge=0, le=1000)] = 0
    """After the additional pairs, maximum number of single games; the first one with a winner decides."""
    third_place: bool = False
    """True: the losers of the semi-finals play for the third place."""
    early_stop: bool = False
    """True: a match ends as soon as its loser cannot catch up any more; it is played one pair at a time."""


_Entrants = Entrants[KnockoutSettings]


def next_round(entrants: _Entrants, rounds: Sequence[Round], games: Sequence[StoredGame]) -> Round:
    """Schedule more games of each match that is not decided or, if there is none, the next round of the bracket.

    A match is won on points.  If they are equal after all its games, one more pair is played at a time, at most
    `further_pairs` of them; then one more game at a time, at most `sudden_death` of them, until one has a winner; then
    a random draw from the tournament's seed decides.
    """
    matches = build_bracket(entrants, games)
    if not rounds:
        byes = tuple(RoundBye(entrants.first_round, match.one, 0, 0) for match in matches if match.two is None)
        return Round(_schedule_matches(entrants, matches), byes)
    open_matches = [match for match in matches if match.winner is None]
    fixtures = _schedule_matches(entrants, open_matches)
    is_playoff = any(match.games >= entrants.games for match in open_matches)
    return Round(fixtures, extra=len(fixtures) if is_playoff else 0)


def _schedule_matches(entrants: _Entrants, matches: Iterable[Match]) -> Fixtures:
    """Schedule the next games: all, one more pair, or a single game.

    All open matches have played equally many games, unless a ruling has opened some again: then those with the fewest
    come first.
    """
    contested = [match for match in matches if match.two is not None]
    played = min((match.games for match in contested), default=0)
    with_games = [match for match in contested if match.games == played]
    regular_pairs = entrants.games // 2
    in_pairs = entrants.games + 2 * entrants.settings.further_pairs
    if played >= in_pairs:
        number = played - in_pairs  # of the sudden-death game, from 0
        pair = in_pairs // 2 + number + 1
        single: list[Meeting] = []
        for match in with_games:
            one, two = sorted((match.one, match.two or ""))
            drawn = derive_seed(entrants.seed, "sudden death", entrants.stage, one, two)
            # Red is drawn at random for the first game; then the seats alternate.
            red, blue = (one, two) if (drawn + number) % 2 == 0 else (two, one)
            single.append(Meeting(red, blue, match.round, pair))
        return Fixtures(tuple(single), stage=entrants.stage, pair_size=1)
    first_pair = played // 2 + 1
    meetings = tuple(Meeting(match.one, match.two or "", match.round, first_pair) for match in with_games)
    at_once = regular_pairs if played == 0 and not entrants.settings.early_stop else 1
    return Fixtures(meetings, pairs=at_once, stage=entrants.stage)


def build_bracket(entrants: _Entrants, games: Iterable[StoredGame]) -> list[Match]:
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
        if entrants.settings.third_place and len(current) == 1 and len(matches) > 1:
            one, two = (match.loser for match in matches[-2:])
            if one is not None and two is not None:  # none of the semi-finals was a bye
                matches.append(replace(_judge_match(entrants, number, one, two, played), place=3))
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
    entrants: _Entrants, number: int, one: str | None, two: str | None, played: dict[frozenset[str], list[StoredGame]]
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
    lead = abs(points[one] - points[two])
    leader = max(one, two, key=lambda bot: points[bot])
    in_pairs = entrants.games + 2 * entrants.settings.further_pairs
    if len(games) < in_pairs and len(games) % 2:
        return match
    if len(games) < entrants.games:
        worth = entrants.points
        swing = worth.win - min(worth.loss, worth.forfeit)
        is_decided = entrants.settings.early_stop and lead > swing * (entrants.games - len(games))
        return replace(match, winner=leader, how="games") if is_decided else match
    if lead:
        further = "sudden death" if len(games) > in_pairs else "further games"
        return replace(match, winner=leader, how=further if len(games) > entrants.games else "games")
    if len(games) < in_pairs + entrants.settings.sudden_death:
        return match
    lot = derive_seed(entrants.seed, "lot", entrants.stage, *sorted((one, two)))
    return replace(match, winner=sorted((one, two))[lot % 2], how="lot")


def rank_by_round(entrants: _Entrants, games: Iterable[StoredGame], byes: Sequence[RoundBye]) -> tuple[Standing, ...]:
    """Rank by the round reached, then by the match for the third place.

    Bots that lost in the same round share a rank, those still in share the first.
    """
    games = tuple(games)
    matches = build_bracket(entrants, games)
    lost = {match.loser: float(match.round) for match in matches if match.loser and match.place == 1}
    end = entrants.first_round + (len(entrants.bots) - 1).bit_length()
    reached = {
        bot: ROUND_NAMES.get(int(end - number), f"round of {2 ** int(end - number)}") for bot, number in lost.items()
    }
    for match in matches:
        if match.place > 1 and match.winner is not None and match.loser is not None:
            lost[match.winner] += 0.5
            reached |= {match.winner: "third place", match.loser: "fourth place"}
    drawn = {match.loser for match in matches if match.how == "lot"}
    drawn |= {match.winner for match in matches if match.how == "lot" and match.round == end - 1}
    plain = {one.bot: one for one in entrants.rank(games, byes, ("points",))}
    return tuple(
        replace(
            plain[bot],
            rank=1 + sum(lost.get(other, end) > lost.get(bot, end) for other in entrants.bots),
            reached=reached.get(bot),
            decided_by="lot" if bot in drawn else None,
        )
        for bot in sorted(entrants.bots, key=lambda bot: -lost.get(bot, end))
    )


KNOCKOUT: Final = Format(
    name="knockout",
    pairings="the loser of a match is eliminated",
    settings=KnockoutSettings,
    next_round=next_round,
    # Of three bots one has a bye, so that there is no match for the third place.
    least=lambda entrants: (
        (len(entrants.bots) - 1 + (entrants.settings.third_place and len(entrants.bots) > 3))  # noqa: PLR2004
        * entrants.games
    ),
    rank=rank_by_round,
    tabulate=lambda entrants, _order, games, _byes: Bracket(tuple(build_bracket(entrants, games))),
    count_rounds=lambda entrants: (len(entrants.bots) - 1).bit_length(),
    follows_results=True,
    is_closed=True,
)
