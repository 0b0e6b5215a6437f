"""All files of a report."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import combinations
from typing import Final

import msgspec
from msgspec.structs import replace

from arbiter.errors import shorten
from arbiter.games.base import FORFEITS
from arbiter.show.pictures import has_pillow
from arbiter.show.replay.log import write_log
from arbiter.show.replay.replay import NO_LOG
from arbiter.show.report.bots import make_bot_page, make_pairing_page
from arbiter.show.report.charts import count_lengths, make_bars, make_rating_scale, plot_test
from arbiter.show.report.files import (
    ASSETS,
    PageFile,
    bot_page,
    games_page,
    make_environment,
    pairing_page,
    picture_file,
    read_asset,
    render,
)
from arbiter.show.report.games import GamePages, PageOrder, make_game_pages, make_game_picture
from arbiter.show.report.highlights import Highlight
from arbiter.show.report.values import LISTED, MOST_BOARDS, GameSummary, ReportData, ReportIndex
from arbiter.show.report.words import PageWords
from arbiter.show.tables.ladder import ClosedTerm
from arbiter.show.tables.ratings import describe_ratings, with_ratings
from arbiter.show.tables.run.incidents import describe_ruling
from arbiter.show.tables.run.machines import machines_sheet, number_hosts
from arbiter.show.tables.sheet import Column
from arbiter.show.tables.standings import effort_sheet, plain_sheet, standings_sheet
from arbiter.show.text import plain, safe, write_minute
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from arbiter.tournament.standings.table import Standing
from arbiter.transcript import GameLog

GAMES_DATA: Final = "games-data.js"
_GAMES_PER_PAGE: Final = 100
_EARLIER: Final = re.compile("games-before-([1-9][0-9]{0,11})[.]html")


def split_games(games: Sequence[StoredGame]) -> list[Sequence[StoredGame]]:
    """Split the games into those of each page; at least one page."""
    starts = range(0, max(1, len(games)), _GAMES_PER_PAGE)
    return [games[start : start + _GAMES_PER_PAGE] for start in starts]


def make_games_page(results: ReportData, number: int) -> PageFile:
    """Make a page of the list; the first one is number 1.  That of a long ladder lists the latest games."""
    words = PageWords(results.lang)
    if results.finder is not None and results.is_long:
        latest, following = results.finder.list((), None, LISTED)
        pages: list[Sequence[StoredGame]] = [[*latest.values()]]
    else:
        pages = split_games(results.games)
        following = None
    return render(
        "games.html",
        games_page(number),
        results.lang,
        results=results,
        games=pages[number - 1],
        number=number,
        pages=len(pages),
        following=following,
        players=sorted(find_players(results.games)),
        endings=sorted({words.write_ending(game, results.find_state(game)) for game in results.games}),
        data=GAMES_DATA,
    )


def make_earlier_games_page(results: ReportData, path: str) -> PageFile | None:
    """Make the page of games of a long ladder that were stored before another one; None if it is no such page."""
    found = _EARLIER.fullmatch(path)
    if found is None or results.finder is None or not results.is_long:
        return None
    games, following = results.finder.list((), int(found[1]), LISTED)
    return render(
        "earlier_games.html", path, results.lang, results=results, games=[*games.values()], following=following
    )


def find_players(games: Iterable[StoredGame]) -> set[str]:
    """Return the names of all bots that played."""
    return {bot for game in games for bot in (game.red, game.blue)}


def make_games_data(results: ReportData) -> PageFile:
    """Make the script with a row for each game; names and endings are numbers of lists in it."""
    words = PageWords(results.lang)
    write_result = make_environment(results.lang).get_template("parts.html").module.result  # type: ignore[attr-defined]
    names = {name: number for number, name in enumerate(sorted(find_players(results.games)))}
    endings: dict[str, int] = {}
    rows = [
        (
            game.round,
            names[game.red],
            names[game.blue],
            (game.winner or "")[:1],
            str(write_result(game, results.find_state(game).counts)).strip(),
            endings.setdefault(words.write_ending(game, results.find_state(game)), len(endings)),
            game.plies,
            write_minute(game.started),
            safe(game.id),
            *((game.ruling.number,) if isinstance(game, RuledGame) else ()),
        )
        for game in results.games
    ]
    titles = {bot: about.title or bot for bot, about in results.bots.items()}
    bots = [(plain(name), plain(titles.get(name, name))) for name in names]
    content = msgspec.json.encode({"bots": bots, "endings": list(endings), "rows": rows})
    return PageFile(GAMES_DATA, b"window.arbiterGames = " + content + b";\n")


MOST_PICTURES: Final = 200
"""Games of a report without an address that all have a picture for previews of links, of about 15 kB each."""
_LATEST: Final = 8  # results on the first page
_MOST_CACHED: Final = 1 << 15  # starts of games
_LOG_LINES: Final = 12
_LONGEST_LINE: Final = 400  # characters


def make_site(
    results: ReportData,
    record: Callable[[str], bytes],
    log: Callable[[str], GameLog],
    make_games: Callable[[Iterable[PageOrder]], Iterable[GamePages]] | None = None,
    *,
    show_stderr: bool = False,
    address: str | None = None,
) -> Iterator[PageFile]:
    """Make all files of a report; index.html is the last, when the pages that it links to exist.

    `record` and `log` return the record and the log of a game by its id.  `make_games` replaces `make_game_pages`, to
    make the pages of several games at once.  With `show_stderr`, the pages of games show what the bots wrote to
    stderr.  `address` is where the pages will be published, with a slash at the end: with it, each game has a picture
    for previews of links; without it, each game of a small report, else the one that the first page recommends.
    Raises ConfigError if the language of the results does not exist.
    """
    logs: dict[str, tuple[str, ...]] = {}
    summaries: dict[str, GameSummary] = {}
    paints_all = has_pillow() and (address is not None or len(results.games) <= MOST_PICTURES)

    def list_orders() -> Iterator[PageOrder]:
        neighbours = list_neighbours(results.games)
        for game in (*results.games, *results.replaced):
            order = make_order(results, game, record, log, show_stderr=show_stderr)
            logs[game.id] = order.log
            if paints_all:
                picture = picture_file(game.id)
                shown = picture.removeprefix("games/") if address is None else f"{address}{picture}"
                order = replace(order, picture=shown, paints_picture=True)
            yield replace(order, **neighbours.get(game.id, {}))

    yield from (read_asset(name, results.lang) for name in ASSETS)
    for pages in map(make_game_pages, list_orders()) if make_games is None else make_games(list_orders()):
        summaries[pages.game_id] = pages.summary
        yield from pages.files
    index = ReportIndex()
    for game in results.games:
        index.add(game, logs[game.id], summaries[game.id], results.find_state(game))
    best = find_best(results, index)
    if best is not None and not paints_all and has_pillow():
        picture = make_game_picture(make_order(results, best.game, record, log))
        yield from () if picture is None else (picture,)
    for make in list_page_makers(results, index, address or "").values():
        yield make()


def find_best(results: ReportData, index: ReportIndex) -> Highlight | None:
    """Return the highlight that newcomers should see first; None if there is none."""
    return index.highlights.choose([one.bot for one in results.final if one.rank == 1])


def make_order(
    results: ReportData,
    game: StoredGame,
    record: Callable[[str], bytes],
    log: Callable[[str], GameLog],
    *,
    show_stderr: bool = False,
) -> PageOrder:
    """Read what the page of a game is made from."""
    show_stderr = show_stderr or results.event.show_stderr
    kept = log(game.id) if show_stderr or game.ending in FORFEITS else NO_LOG
    lines = read_last_lines(kept) if game.ending in FORFEITS else ()
    stderr = GameLog(stderr=kept.stderr, stderr_marks=kept.stderr_marks) if show_stderr else NO_LOG
    titles = {bot: results.bots[bot].title or bot for bot in (game.red, game.blue) if bot in results.bots}
    return PageOrder(
        game,
        record(game.id),
        lines,
        stderr,
        results.lang,
        results.find_state(game),
        titles=titles,
        unit=results.unit,
        tournament=results.name,
    )


def list_neighbours(games: Sequence[StoredGame]) -> Mapping[str, Mapping[str, str | None]]:
    """Return by the id of each game the ids of the games `before` and `after` it."""
    ids = [None, *(game.id for game in games), None]
    return {game.id: {"before": ids[number], "after": ids[number + 2]} for number, game in enumerate(games)}


def read_last_lines(log: GameLog) -> tuple[str, ...]:
    """Return the last lines of a log; long lines are cut."""
    lines = tuple(write_log(log))[-_LOG_LINES:]
    return tuple(shorten(line, _LONGEST_LINE) for line in lines)


def list_page_makers(
    results: ReportData, index: ReportIndex, address: str = ""
) -> Mapping[str, Callable[[], PageFile]]:
    """Return, by path, functions that make the pages that are not of a single game; index.html is the last.

    `address` is that of the folder with the pages, for pictures in previews of links; if it is empty, theirs are
    relative.
    """
    makers: dict[str, Callable[[], PageFile]] = dict(_list_pairing_makers(results))
    for standing in results.final:
        makers[bot_page(standing.bot)] = partial(make_bot_page, results, standing, index)
    makers["numbers.html"] = partial(_make_numbers_page, results, index)
    makers["forfeits.html"] = partial(
        render, "forfeits.html", "forfeits.html", results.lang, results=results, forfeits=index.forfeits
    )
    for number in range(1, 2 if results.is_long else len(split_games(results.games)) + 1):
        makers[games_page(number)] = partial(make_games_page, results, number)
    makers[GAMES_DATA] = partial(make_games_data, results)
    if results.matches:
        makers["matches.html"] = partial(render, "matches.html", "matches.html", results.lang, results=results)
    if results.terms is not None:
        makers["terms.html"] = partial(make_terms_page, results, results.terms)
    if results.join is not None:
        makers["enter.html"] = partial(
            render, "enter.html", "enter.html", results.lang, results=results, join=results.join
        )
    for download in results.downloads:
        if download.make is not None:
            makers[download.path] = partial(lambda path, make: PageFile(path, make()), download.path, download.make)
    makers["index.html"] = partial(_make_index_page, results, index, address)
    return makers


def _list_pairing_makers(results: ReportData) -> Iterator[tuple[str, Callable[[], PageFile]]]:
    """Yield the paths of the pages of pairings that have met, and what makes them."""
    games_by_pair: dict[frozenset[str], list[StoredGame]] = {}
    for game in results.games:
        games_by_pair.setdefault(frozenset((game.red, game.blue)), []).append(game)
    met = set(games_by_pair)
    if results.ladder is not None and results.is_long:
        met = set(map(frozenset, results.ladder.state.find_met()))
    for one, other in combinations([standing.bot for standing in results.final], 2):
        if (pairing := frozenset((one, other))) in met:
            games = None if results.is_long else games_by_pair[pairing]
            yield pairing_page(one, other), partial(make_pairing_page, results, one, other, games)


def make_terms_page(results: ReportData, read: Callable[[], Sequence[ClosedTerm]]) -> PageFile:
    """Make the page of the terms of a ladder that are over, with the final standings of each."""
    return render(
        "terms.html",
        "terms.html",
        results.lang,
        results=results,
        terms=[(term, standings_sheet(term.ranking), plain_sheet(term.table)) for term in read()],
    )


def _make_numbers_page(results: ReportData, index: ReportIndex) -> PageFile:
    """Make the page of lengths, endings and times."""
    endings = Counter(map(PageWords(results.lang).write_ending, results.counted))
    found = index.answers
    answers: list[Column[Standing]] = [
        Column("answers", value=lambda one: found[one.bot].count if one.bot in found else 0),
        Column("mean_answer", value=lambda one: f"{found[one.bot].mean:.1f}" if one.bot in found else None),
        Column("longest_answer", value=lambda one: f"{found[one.bot].longest:.1f}" if one.bot in found else None),
    ]
    return render(
        "numbers.html",
        "numbers.html",
        results.lang,
        results=results,
        lengths=count_lengths(results.counted),
        endings=make_bars(dict(endings.most_common())),
        times=make_bars({one.bot: one.mean_seconds for one in results.final if one.mean_seconds is not None}),
        effort=effort_sheet(results.final).add(answers),
        machines=machines_sheet(
            results.games, results.attempts, results.live.games if results.live else (), datetime.now(UTC)
        ),
    )


@lru_cache(_MOST_CACHED)
def _read_time(started: str) -> float:
    return datetime.fromisoformat(started).timestamp()


def list_latest(games: Iterable[StoredGame]) -> list[StoredGame]:
    """List the games that ended last, the latest first; their starts are known to the second."""

    def find_end(game: StoredGame) -> tuple[int, int, str]:
        return int(_read_time(game.started) + game.seconds), game.round, game.id

    return sorted((game for game in games if game.took_place), key=find_end, reverse=True)[:_LATEST]


def _make_index_page(results: ReportData, index: ReportIndex, address: str) -> PageFile:
    """Make the first page: standings, crosstables and scores over time."""
    best = find_best(results, index)
    return render(
        "index.html",
        "index.html",
        results.lang,
        results=results,
        final=with_ratings(standings_sheet(results.final), results.ratings),
        stages=[with_ratings(standings_sheet(part.ranking), results.ratings) for part in results.parts],
        ratings={one.bot: one for one in results.ratings.bots},
        scale=make_rating_scale(results.ratings),
        tests={} if results.match is None else {bot: plot_test(run) for bot, run in results.match.runs.items()},
        latest=() if results.finished else list_latest(results.games),
        plot=index.plot_scores(results),
        notes=list(describe_ratings(results.ratings)) if results.ratings.groups else (),
        most_boards=MOST_BOARDS,
        machines=number_hosts(results.games, results.attempts, results.live.games) if results.live else {},
        highlights=index.highlights.found,
        best=best,
        picture="" if best is None or not has_pillow() else f"{address}{picture_file(best.game.id)}",
        ruling_notes=list(map(describe_ruling, results.rulings)),
    )
