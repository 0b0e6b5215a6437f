"""The page of a bot: programs, scores by opponent and colour, and the squares on which it deployed each rank."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.games.ranks import RANKS
from arbiter.show.boards import write_rank
from arbiter.show.report.charts import Plot, plot_ratings
from arbiter.show.report.files import PageFile, bot_page, pairing_page, render
from arbiter.show.report.values import LISTED, Answers, ReportData, ReportIndex
from arbiter.show.rules_page import title_rules
from arbiter.show.tables.run.incidents import describe_ruling
from arbiter.tournament.standings.crosstable import OpponentScore, Tally, score_by_colour
from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters, is_suspension_walkover
from arbiter.tournament.standings.table import Standing
from protocol.view import board_order
from protocol.words import Place, RankId

_SCALE: Final = (5, 10, 20, 35, 50, 70, 100)  # upper ends of the shades of a map, in per cent of the games


class Spread(Struct, frozen=True):
    """The number of times that a rank was deployed on each square of the bot's own side."""

    rank: RankId
    sign: str

    width: int
    height: int

    squares: tuple["SpreadSquare", ...]
    """From the front to the back, row by row."""


class SpreadSquare(Struct, frozen=True):
    """A square of a spread."""

    place: Place
    times: int
    shade: int
    """0: none."""
    x: int
    y: int


def make_spreads(deployments: Collection[Mapping[Place, RankId]]) -> tuple[Spread, ...]:
    """Count over several games how often each rank was deployed on each square."""
    counts = Counter((rank, place) for deployment in deployments for place, rank in deployment.items())
    places = sorted({place for _, place in counts}, key=board_order)
    files = sorted({place[0] for place in places})
    rows = sorted({int(place[1:]) for place in places}, reverse=True)

    def make_square(rank: RankId, x: int, y: int) -> SpreadSquare:
        place = f"{files[x]}{rows[y]}"
        times = counts[rank, place]
        return SpreadSquare(place, times, 1 + bisect_left(_SCALE, 100 * times / len(deployments)) if times else 0, x, y)

    spots = [(x, y) for y in range(len(rows)) for x in range(len(files))]
    return tuple(
        Spread(rank, write_rank(rank), len(files), len(rows), tuple(make_square(rank, *spot) for spot in spots))
        for rank in RANKS
        if any(rank == deployed for deployed, _ in counts)
    )


def count_scores(bot: str, results: ReportData) -> tuple[OpponentScore, ...]:
    """Count the games of a bot against each opponent, by its colour."""
    if results.ladder is not None:
        found = results.ladder.count_scores(bot)
        each = (OpponentScore(bot, one.bot, *found[one.bot]) for one in results.final if one.bot in found)
        return tuple(score for score in each if score.both.games)
    return score_by_colour(bot, [one.bot for one in results.final], results.counted)


def plot_history(bot: str, results: ReportData) -> Plot | None:
    """Plot the ratings of a bot after growing numbers of games; None if there are fewer than two."""
    if results.ladder is not None:
        return results.ladder.plot_ratings(bot)
    earlier = () if results.list_earlier_ratings is None else results.list_earlier_ratings()
    after = [(one.games, one.ratings) for one in earlier]
    after.append((sum(game.was_played for game in results.games if results.find_state(game).is_rated), results.ratings))
    found = [(games, one.rating) for games, ratings in after for one in ratings.bots if one.bot == bot and one.rating]
    return plot_ratings(bot, found) if len(found) > 1 else None


def make_pairing_page(results: ReportData, one: str, other: str, games: Sequence[StoredGame] | None = None) -> PageFile:
    """Make the page of two bots: their score, the Elo difference, and their games against each other.

    Of a long ladder, the latest games are read from the results.
    """
    score = next((score for score in count_scores(one, results) if score.opponent == other), None)
    difference = None
    if games is None and results.ladder is not None:
        difference = results.ladder.compare(one, other)
        games = results.list_latest(one, other)
    elif results.compare is not None and score is not None:
        difference = results.compare(one, other, games or ())
    return render(
        "pairing.html",
        pairing_page(one, other),
        results.lang,
        results=results,
        one=one,
        other=other,
        games=games,
        score=score,
        difference=difference,
    )


def make_bot_page(results: ReportData, standing: Standing, index: ReportIndex) -> PageFile:
    bot = standing.bot
    scores = count_scores(bot, results)
    if results.is_long:
        games = results.list_latest(bot)
    else:
        games = [game for game in results.games if bot in (game.red, game.blue)]
    entries = index.entries.get(bot, ())
    deployments = [entry.deployment for entry in entries if entry.deployment]
    players = (entry.player for entry in entries)
    walkovers = (game.before_rulings for game in results.games if standing.status == "suspended")
    return render(
        "bot.html",
        bot_page(bot),
        results.lang,
        results=results,
        bot=standing,
        rating=next((one for one in results.ratings.bots if one.bot == bot), None),
        scores=scores,
        plot=plot_history(bot, results),
        games=games[-LISTED:],
        more_games=len(games) > LISTED,
        repeats=[one for one in results.repeats if bot in (one.one, one.two)],
        scale=list(enumerate(_SCALE, start=1)),
        totals=[sum((getattr(score, part) for score in scores), Tally()) for part in ("red", "blue", "both")],
        programs=dict.fromkeys((one.program or "", one.version or "", one.author or "") for one in players),
        all_rules=list(map(title_rules, dict.fromkeys(entry.rules for entry in entries))),
        answers=sum((entry.answers for entry in entries), Answers()),
        deployments=len(deployments),  # the games in which the bot chose its deployment
        spreads=make_spreads(deployments),
        suspended=next((game for game in walkovers if is_suspension_walkover(game, bot)), None),  # it has the reason
        rulings=[(describe_ruling(ruling), ruling.at) for ruling in results.rulings if ruling.bot == bot],
        forfeited=[
            game
            for game in games
            if results.find_state(game).is_rated
            and bot in [getattr(game, seat) for seat in find_forfeiters(game.winner, game.ending)]
        ],
    )
