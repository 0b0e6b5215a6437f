"""The pages that list all games, and the data with which a script filters and sorts them."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from arbiter.show.report.environment import make_environment, render
from arbiter.show.report.names import games_page, safe
from arbiter.show.report.values import PageFile, ReportData
from arbiter.show.text import plain
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame

GAMES_DATA: Final = "games-data.js"
_GAMES_PER_PAGE: Final = 250


def split_games(games: Sequence[StoredGame]) -> list[Sequence[StoredGame]]:
    """Split the games into those of each page; at least one page."""
    starts = range(0, max(1, len(games)), _GAMES_PER_PAGE)
    return [games[start : start + _GAMES_PER_PAGE] for start in starts]


def make_games_page(results: ReportData, number: int) -> PageFile:
    """Make a page of the list; the first one is number 1."""
    path = games_page(number)
    pages = split_games(results.games)
    content = render(
        "games.html",
        path,
        results=results,
        games=pages[number - 1],
        number=number,
        pages=len(pages),
        players=sorted(find_players(results.games)),
        endings=sorted({game.ending_words for game in results.games}),
        data=GAMES_DATA,
    )
    return PageFile(path, content)


def find_players(games: Iterable[StoredGame]) -> set[str]:
    """Return the names of all bots that played."""
    return {bot for game in games for bot in (game.red, game.blue)}


def make_games_data(results: ReportData) -> PageFile:
    """Make the script with a row for each game; names and endings are numbers of lists in it."""
    write_result = make_environment().get_template("parts.html").module.result  # type: ignore[attr-defined]
    names = {name: number for number, name in enumerate(sorted(find_players(results.games)))}
    endings: dict[str, int] = {}
    rows = [
        (
            game.round,
            names[game.red],
            names[game.blue],
            (game.winner or "")[:1],
            str(write_result(game)).strip(),
            endings.setdefault(game.ending_words, len(endings)),
            game.plies,
            game.started[:16].replace("T", " "),
            safe(game.id),
            *((game.ruling.number,) if isinstance(game, RuledGame) else ()),
        )
        for game in results.games
    ]
    titles = {bot: about.title for bot, about in results.bots.items() if about.title}
    bots = [(plain(name), plain(titles.get(name, name))) for name in names]
    content = msgspec.json.encode({"bots": bots, "endings": list(endings), "rows": rows})
    return PageFile(GAMES_DATA, b"window.arbiterGames = " + content + b";\n")
