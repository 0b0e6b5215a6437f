"""The templates: every text that comes into them is made fit to be shown and escaped, whoever wrote it."""

from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arbiter.show.report import names
from arbiter.show.text import number, plain

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)


# Pages that are served ask where they came from for what is new.
LIVE_POLICY: Final = f"{POLICY}; connect-src 'self'"


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    made = Environment(
        loader=PackageLoader("arbiter.show.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_fit,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "words": _words}
    made.globals |= {
        "policy": Markup(POLICY),  # noqa: S704 - our own text; escaped quotes would be as good but hard to read
        "live_policy": Markup(LIVE_POLICY),  # noqa: S704
        "bot_page": names.bot_page,
        "game_events": names.game_events,
        "game_page": names.game_page,
        "games_page": names.games_page,
        "pairing_page": names.pairing_page,
        "record_file": names.record_file,
    }
    return made


def _fit(value: object) -> object:
    """Make a text visible in all its signs; what is markup has been through it."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _words(name: str) -> str:
    return name.replace("_", " ")


def render(template: str, path: str, **values: object) -> bytes:
    """Fill a template for a page at a path within the report."""
    root = "../" * path.count("/")
    return environment().get_template(template).render(root=root, path=path, **values).encode()
