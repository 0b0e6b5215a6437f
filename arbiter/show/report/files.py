"""Paths of the files of a report, the files that are the same in all reports, and the templates of pages.

Paths are valid on every file system and in every URL, whatever the name of a bot.
Every text in a template is made printable and escaped, so that names and notes of bots cannot contain markup.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import astuple

from arbiter.games.base import FORFEITS
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.show.keys import write_keys_script
from arbiter.show.language import write_words_script
from arbiter.show.report.charts import MOST_TOGETHER, shorten_label
from arbiter.show.report.introduction import PICTURES, draw_picture
from arbiter.show.report.words import PageWords
from arbiter.show.tables.ladder import find_match_score
from arbiter.show.tables.sheet import write_cell
from arbiter.show.text import MINUS, number, plain, safe, write_minute, write_score, write_signed
from arbiter.show.theme import write_css, write_script
from arbiter.tournament.standings.crosstable import Tally

_HYPHEN: Final = re.compile(r"(?:^|(?<=[\s(]))-(?=\d)")
"""A hyphen that stands for a minus sign."""
FOLLOW: Final = "follow.html"
"""The page that leads to a game in progress."""
WALL: Final = "wall.html"
"""The page of all games in progress."""
_MOST_CACHED: Final = 1 << 12  # cells of crosstables


class PageFile(Struct, frozen=True):
    """A file of a report."""

    path: str
    """Relative to the folder of the report."""

    content: bytes


def bot_page(bot: str) -> str:
    return f"bots/{safe(bot)}.html"


def game_page(game_id: str) -> str:
    return f"games/{safe(game_id)}.html"


def game_events(game_id: str) -> str:
    """Return the path of the event stream of a game in progress."""
    return f"games/{safe(game_id)}.events"


def follow_page(game_id: str) -> str:
    """Return the path that leads to a game in progress other than this one."""
    return f"{FOLLOW}?after={quote(game_id)}"


def record_file(game_id: str) -> str:
    return f"games/{safe(game_id)}.jsonl.xz"


def moves_file(game_id: str) -> str:
    """Return the path of the script with the data of a game that is too long for its page."""
    return f"games/{safe(game_id)}.js"


def picture_file(game_id: str) -> str:
    """Return the path of the picture of a game for previews of links."""
    return f"games/{safe(game_id)}.png"


def pairing_page(one: str, other: str) -> str:
    """Return the path of the page with all games between two bots."""
    return "pairings/{}~~{}.html".format(*map(safe, sorted((one, other))))


def games_page(number: int) -> str:
    """Return the path of a page of the list of all games; the first is number 1."""
    return "games.html" if number == 1 else f"games-{number}.html"


def earlier_games_page(before: int) -> str:
    """Return the path of the page of games of a long ladder that were stored before another one."""
    return f"games-before-{before}.html"


def kit_file(name: str) -> str:
    """Return the path of the wheel of the kit, whose name `pip` needs."""
    return f"kit/{name}"


VIEWER_PARTS: Final = (
    "board.js",
    "belief.js",
    "game.js",
    "description.js",
    "overview.js",
    "playback.js",
    "controls.js",
    "share.js",
    "viewer.js",
)
"""The scripts of the viewer of games, each after the ones that it uses.  Pages load them as one file."""
_STYLES: Final = ("theme.css", "base.css", "report.css", "viewer.css")
ASSETS: Final = (*_STYLES, "words.js", "games.js", "spoilers.js", "viewer.js", "icon.svg", *PICTURES)
LIVE_ASSETS: Final = ("live.js", "boards.js", "follow.js", "wall.css", "wall.js")  # only for pages that are served


def read_asset(name: str, lang: str = DEFAULT_LANGUAGE) -> PageFile:
    """Read a file that pages in a language use."""
    match name:
        case "theme.css":
            content = write_css().encode()
        case "viewer.js":
            # One file, because modules would not load from a disk: colours, symbols and keys come first.
            parts = (write_script(), write_keys_script(), *map(read_script, VIEWER_PARTS))
            content = "\n".join(parts).encode()
        case "words.js":
            content = f"{write_words_script(lang)}{read_script('fill.js')}\n".encode()
        case _ if name in PICTURES:
            content = draw_picture(name, lang)
        case _:
            content = read_static(name)
    return PageFile(f"assets/{name}", content)


def read_static(name: str) -> bytes:
    """Read a file as it is."""
    return files("arbiter.show.report").joinpath("static", name).read_bytes()


def read_script(name: str) -> str:
    """Read a script without its comments on lines of their own and without indentation."""
    lines = (line.strip() for line in read_static(name).decode().splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
LIVE_POLICY: Final = f"{POLICY}; connect-src 'self'"  # live pages fetch updates from the server

NUMBERED_FROM: Final = 9
"""Number of bots from which the columns of a crosstable are numbered."""


@lru_cache(_MOST_CACHED)
def _write_crosstable_cell(lang: str, one: str, other: str, counts: tuple[Any, ...], many: bool) -> Markup:
    """Write a cell of the crosstable on the first page: while games are played, few cells change."""
    write: Callable[..., str] = make_environment(lang).get_template("parts.html").module.crosstable_cell  # type: ignore[attr-defined]
    return Markup(write(one, other, Tally(*counts), many).strip())  # noqa: S704 - written by a template


@cache
def make_environment(lang: str) -> Environment:
    """Return the environment that all templates of pages in a language share."""

    def escape_control_characters(value: object) -> object:
        return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("arbiter.show.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_control_characters,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    words = PageWords(lang)
    environment.filters |= {**words.filters} | {
        "cell": write_cell,
        "counts": astuple,
        "minus": lambda text: _HYPHEN.sub(MINUS, str(text)),
        "label": shorten_label,
        "minute": write_minute,
        "number": number,
        "signed": write_signed,
        "tally": lambda one: write_score(one.wins, one.draws, one.losses + one.forfeits),
    }
    environment.globals |= {
        "lang": lang,
        "text": words.write,
        "policy": Markup(POLICY),  # noqa: S704 - a constant; with escaped quotes it would be hard to read
        "live_policy": Markup(LIVE_POLICY),  # noqa: S704
        "forfeits": FORFEITS,
        "introduction": {name: one.caption for name, one in PICTURES.items()},
        "numbered_from": NUMBERED_FROM,
        "most_together": MOST_TOGETHER,
        "crosstable_cell": partial(_write_crosstable_cell, lang),
        "english": Markup("" if lang == DEFAULT_LANGUAGE else ' lang="en"'),  # noqa: S704 - a constant
        "heading": words.write_heading,
        "match_score": find_match_score,
    }
    paths = (
        bot_page,
        earlier_games_page,
        follow_page,
        game_events,
        game_page,
        games_page,
        kit_file,
        moves_file,
        pairing_page,
        record_file,
    )
    environment.globals |= {path.__name__: path for path in paths}
    return environment


def render(template: str, path: str, lang: str, **values: object) -> PageFile:
    """Fill a template for the page at a path in the report, in a language."""
    root = "../" * path.count("/")
    page = make_environment(lang).get_template(template).render(root=root, path=path, **values)
    return PageFile(path, page.encode())
