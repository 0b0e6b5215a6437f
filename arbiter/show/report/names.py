"""Paths of the files of a report: valid on every file system and in every URL, whatever the name of a bot."""

import re
from typing import Final
from urllib.parse import quote

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._~+-]|^\.")

FOLLOW: Final = "follow.html"
"""The page that leads to a game in progress."""


def safe(name: str) -> str:
    """Replace characters that a file name must not have by their bytes, as `=2f`."""
    return _UNSAFE.sub(lambda found: "".join(f"={byte:02x}" for byte in found[0].encode()), name)


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
    return f"games/{safe(game_id)}.jsonl.bz2"


def picture_file(game_id: str) -> str:
    """Return the path of the picture of a game for previews of links."""
    return f"games/{safe(game_id)}.png"


def pairing_page(one: str, other: str) -> str:
    """Return the path of the page with all games between two bots."""
    return "pairings/{}~~{}.html".format(*map(safe, sorted((one, other))))


def games_page(number: int) -> str:
    """Return the path of a page of the list of all games; the first is number 1."""
    return "games.html" if number == 1 else f"games-{number}.html"
