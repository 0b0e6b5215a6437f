"""How the files of a report are called: safe on every file system and in every address, whatever a bot is named."""

import re
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._~+-]|^\.")


def safe(name: str) -> str:
    """Write a name in letters that a file may have; other signs by their bytes, as `=2f`."""
    return _UNSAFE.sub(lambda found: "".join(f"={byte:02x}" for byte in found[0].encode()), name)


def bot_page(bot: str) -> str:
    """Name the page of a bot."""
    return f"bots/{safe(bot)}.html"


def game_page(game_id: str) -> str:
    """Name the page of a game."""
    return f"games/{safe(game_id)}.html"


def game_events(game_id: str) -> str:
    """Name the stream of what happens in a game under way."""
    return f"games/{safe(game_id)}.events"


def record_file(game_id: str) -> str:
    """Name the file of a game's record."""
    return f"games/{safe(game_id)}.jsonl.bz2"


def pairing_page(one: str, other: str) -> str:
    """Name the page of all games of two bots."""
    return "pairings/{}~~{}.html".format(*map(safe, sorted((one, other))))


def games_page(number: int) -> str:
    """Name a page of the list of all games; they count from 1."""
    return "games.html" if number == 1 else f"games-{number}.html"
