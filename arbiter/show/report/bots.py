"""The page of a bot: programs, scores by opponent and colour, and the squares on which it deployed each rank."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from arbiter.show.boards import write_rank
from arbiter.show.report.environment import render
from arbiter.show.report.index import Answers, Entry, ReportIndex
from arbiter.show.report.names import bot_page
from arbiter.show.report.values import PageFile, ReportData
from arbiter.tournament.standings.crosstable import Tally, build_crosstable
from arbiter.tournament.standings.stored_game import find_forfeiters
from arbiter.tournament.standings.table import Standing
from protocol.view import board_order
from protocol.words import Place, RankId

_SHADES = 10


class Spread(Struct, frozen=True):
    """The number of times that a rank was deployed on each square of the bot's own side."""

    rank: RankId
    sign: str

    rows: tuple[tuple[tuple[Place, int, int], ...], ...]
    """Rows from the front to the back; for each square its name, its count and its shade from 0 to 10."""


class Profile(Struct, frozen=True):
    """A bot over all its games."""

    programs: tuple[tuple[str, str, str], ...]
    """Name, version and author of each program that played as this bot."""

    rules: tuple[str, ...]
    answers: Answers

    deployments: int
    """Number of games in which the bot chose its deployment."""

    spreads: tuple[Spread, ...]


def make_profile(entries: Iterable[Entry]) -> Profile:
    """Sum up the games of a bot."""
    entries = tuple(entries)
    deployments = [entry.deployment for entry in entries if entry.deployment]
    counts: dict[RankId, Counter[Place]] = {}
    for deployment in deployments:
        for place, rank in deployment.items():
            counts.setdefault(rank, Counter())[place] += 1
    places = sorted({place for deployment in deployments for place in deployment}, key=board_order)
    files = sorted({place[0] for place in places})
    rows = sorted({int(place[1:]) for place in places}, reverse=True)
    spreads = []
    for rank in RankId.__args__:  # type: ignore[attr-defined]  # from the strongest to the weakest
        if rank in counts:
            most = max(counts[rank].values())
            squares = {place: (place, count, -(-_SHADES * count // most)) for place, count in counts[rank].items()}
            table = tuple(
                tuple(squares.get(place, (place, 0, 0)) for place in [f"{file}{row}" for file in files]) for row in rows
            )
            spreads.append(Spread(rank, write_rank(rank), table))
    players = (entry.player for entry in entries)
    return Profile(
        programs=tuple(dict.fromkeys((one.program or "", one.version or "", one.author or "") for one in players)),
        rules=tuple(dict.fromkeys(entry.rules for entry in entries)),
        answers=sum((entry.answers for entry in entries), Answers()),
        deployments=len(deployments),
        spreads=tuple(spreads),
    )


class OpponentScore(Struct, frozen=True):
    """The score of a bot against one opponent."""

    opponent: str
    red: Tally
    blue: Tally
    both: Tally


def count_scores(bot: str, results: ReportData) -> tuple[OpponentScore, ...]:
    """Count the games of a bot against each opponent, by its colour."""
    bots = [one.bot for one in results.final]
    red_games = [game for game in results.counted if game.red == bot]
    blue_games = [game for game in results.counted if game.blue == bot]
    red = build_crosstable(bots, red_games)[bot]
    blue = build_crosstable(bots, blue_games)[bot]
    both = build_crosstable(bots, [*red_games, *blue_games])[bot]
    return tuple(OpponentScore(other, red[other], blue[other], both[other]) for other in both if both[other].games)


def make_bot_page(results: ReportData, standing: Standing, index: ReportIndex) -> PageFile:
    bot = standing.bot
    scores = count_scores(bot, results)
    content = render(
        "bot.html",
        bot_page(bot),
        results=results,
        bot=standing,
        rating=next((one for one in results.ratings.bots if one.bot == bot), None),
        scores=scores,
        totals=[sum((getattr(score, part) for score in scores), Tally()) for part in ("red", "blue", "both")],
        profile=make_profile(index.entries.get(bot, ())),
        forfeited=[
            game
            for game in results.games
            if bot in [getattr(game, seat) for seat in find_forfeiters(game.winner, game.ending)]
        ],
    )
    return PageFile(bot_page(bot), content)
