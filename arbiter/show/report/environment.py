"""Page templates; every text is made printable and escaped, so that names and notes of bots cannot contain markup."""

from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arbiter.errors import write_count
from arbiter.games.base import FORFEITS
from arbiter.games.ending_words import describe_result
from arbiter.show.report import files
from arbiter.show.report.charts import shorten_label
from arbiter.show.tables.sheet import write_cell
from arbiter.show.text import number, plain, write_minute, write_score, write_signed

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
LIVE_POLICY: Final = f"{POLICY}; connect-src 'self'"  # live pages fetch updates from the server

NUMBERED_FROM: Final = 9
"""Number of bots from which the columns of a crosstable are numbered."""


@cache
def make_environment() -> Environment:
    """Return the environment that all templates share."""

    def escape_control_characters(value: object) -> object:
        return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("arbiter.show.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_control_characters,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cell": write_cell,
        "label": shorten_label,
        "minute": write_minute,
        "number": number,
        "signed": write_signed,
        "things": write_count,
        "score": lambda counts: write_score(*counts),
        "result": lambda game, names: describe_result(game.winner, game.ending, game.why, game.plies, names),
    }
    environment.globals |= {
        "policy": Markup(POLICY),  # noqa: S704 - a constant; with escaped quotes it would be hard to read
        "live_policy": Markup(LIVE_POLICY),  # noqa: S704
        "forfeits": FORFEITS,
        "numbered_from": NUMBERED_FROM,
    }
    paths = ("bot_page", "follow_page", "game_events", "game_page", "games_page", "pairing_page", "record_file")
    environment.globals |= {name: getattr(files, name) for name in paths}
    return environment


def render(template: str, path: str, **values: object) -> files.PageFile:
    """Fill a template for the page at a path in the report."""
    root = "../" * path.count("/")
    return files.PageFile(
        path, make_environment().get_template(template).render(root=root, path=path, **values).encode()
    )
