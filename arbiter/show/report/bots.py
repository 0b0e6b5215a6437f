"""The page of a bot: what it is, how it scored by colour and opponent, where it put which rank."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from arbiter.show.boards import write_rank
from arbiter.show.report.environment import render
from arbiter.show.report.index import ReportIndex
from arbiter.show.report.names import bot_page
from arbiter.show.report.values import Answers, Entry, PageFile, ReportData
from arbiter.tournament.standings.crosstable import Tally, build_crosstable
from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters
from arbiter.tournament.standings.table import Standing
from protocol.view import board_order
from protocol.words import Place, RankId

_SHADES = 10


class Spread(Struct, frozen=True):
    """Where a rank was put: for each square of the own side, row by row from the front, times and shade (0 to 10)."""

    rank: RankId
    sign: str
    rows: tuple[tuple[tuple[Place, int, int], ...], ...]


class Profile(Struct, frozen=True):
    """A bot over all its games: programs that played for it, its answers, its deployments."""

    programs: tuple[tuple[str, str, str], ...]
    rules: tuple[str, ...]
    answers: Answers
    setups: int
    spreads: tuple[Spread, ...]


def profile(entries: Iterable[Entry]) -> Profile:
    """Sum up what a bot is remembered by."""
    entries = tuple(entries)
    setups = [entry.setup for entry in entries if entry.setup]
    players = (entry.player for entry in entries)
    return Profile(
        programs=tuple(dict.fromkeys((one.program or "", one.version or "", one.author or "") for one in players)),
        rules=tuple(dict.fromkeys(entry.rules for entry in entries)),
        answers=sum((entry.answers for entry in entries), Answers()),
        setups=len(setups),
        spreads=tuple(_spreads(setups)),
    )


def _spreads(setups: Sequence[dict[Place, RankId]]) -> Iterator[Spread]:
    counts: dict[RankId, Counter[Place]] = {}
    for setup in setups:
        for place, rank in setup.items():
            counts.setdefault(rank, Counter())[place] += 1
    places = sorted({place for setup in setups for place in setup}, key=board_order)
    files = sorted({place[0] for place in places})
    rows = sorted({int(place[1:]) for place in places}, reverse=True)
    for rank in sorted(counts, key=_strength):
        most = max(counts[rank].values())
        yield Spread(
            rank,
            write_rank(rank),
            tuple(
                tuple(
                    (f"{file}{row}", times := counts[rank][f"{file}{row}"], -(-_SHADES * times // most))
                    for file in files
                )
                for row in rows
            ),
        )


def _strength(rank: RankId) -> int:
    return list(RankId.__args__).index(rank)  # type: ignore[attr-defined]


class Against(Struct, frozen=True):
    """A bot's games against another: as red, as blue, and all."""

    bot: str
    red: Tally
    blue: Tally
    both: Tally


def scores(bot: str, results: ReportData) -> tuple[Against, ...]:
    """Count a bot's games against each other bot that it met, by its colour."""
    bots = [one.bot for one in results.final]
    mine = [game for game in results.counted if bot in {game.red, game.blue}]
    red, blue, both = (
        build_crosstable(bots, games)[bot]
        for games in ([game for game in mine if game.red == bot], [game for game in mine if game.blue == bot], mine)
    )
    return tuple(Against(other, red[other], blue[other], both[other]) for other in both if both[other].games)


def bot_told(results: ReportData, one: Standing, memory: ReportIndex) -> PageFile:
    """Make the page of a bot."""
    rated = {bot.bot: bot for bot in results.ratings.bots}
    against = scores(one.bot, results)
    return PageFile(
        bot_page(one.bot),
        render(
            "bot.html",
            bot_page(one.bot),
            results=results,
            bot=one,
            rating=rated.get(one.bot),
            against=against,
            totals=[sum((getattr(row, part) for row in against), Tally()) for part in ("red", "blue", "both")],
            profile=profile(memory.entries.get(one.bot, ())),
            forfeited=[game for game in results.games if one.bot in _forfeiters(game)],
        ),
    )


def _forfeiters(game: StoredGame) -> list[str]:
    return [getattr(game, seat) for seat in find_forfeiters(game.winner, game.ending)]
