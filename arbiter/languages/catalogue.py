"""All texts in every language, from the files in this folder."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.errors import unknown_name
from protocol.words import RankId

DEFAULT_LANGUAGE: Final = "en"
_FOLDER: Final = files("arbiter.languages")
_ENDING: Final = ".toml"
_FORMS: Final = " | "  # separates the forms of a text


class Language(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The names and sentences of one language; CONTRIBUTING.md describes the sections."""

    code: str
    """The name of its file, such as "de"."""
    name: str
    """Name of the language, in itself."""
    pieces: dict[RankId, str]
    board: dict[str, str]
    keys: dict[str, str]
    """Effects of the keys of the viewers, in words."""
    terminal: dict[str, str]
    """Texts of the viewer in a terminal, of games as text, and of captions of pictures."""
    viewer: dict[str, str]
    """Labels of the viewer on the page of a game."""
    acts: dict[str, str]
    story: dict[str, str]
    rules: dict[str, str]
    play: dict[str, str]
    """Texts of the page on which people play."""
    desk: dict[str, str]
    """Texts of the pages of invitations, authors and organisers."""
    pages: dict[str, str]
    """Texts of the pages around the viewer; one thing and several may have a form each."""
    scripts: dict[str, str]
    """Texts that the scripts of these pages write."""
    tables: dict[str, str] = {}
    """Heads and titles of tables on pages, and words in them, by the English ones that other outputs show."""
    phrases: dict[str, str] = {}
    """Texts of tables that are made of values (`phrase.py`), by the templates of the English ones."""
    endings: dict[str, str]
    """Endings of games in a few words."""
    results: dict[str, str]
    """Sentences about results."""
    reasons: dict[str, str]
    """Sentences about reasons (`protocol/reasons.py`); those that a language lacks are English."""
    clauses: dict[str, str] = {}
    """Clauses about endings that name the players.  Default: sentences about results contain the short words."""
    yours: dict[str, str] = {}
    editions: dict[str, dict[RankId, str]] = {}
    titles: dict[str, str] = {}
    """Titles of rule sets that differ from the English ones."""
    capital_nouns: bool = False
    """True if names of pieces keep their capital letter within a sentence."""
    zero_is_one: bool = False
    """True if no things have the form of one thing."""

    def find_page_text(self, key: str, count: float | None = None) -> str:
        """Return a text of pages with its placeholders; `count` chooses between the forms for one and for several."""
        return self.choose_form(self.pages[key], count)

    def choose_form(self, text: str, count: float | None) -> str:
        """Return the form of a text for one or for several things."""
        one, _, several = text.partition(_FORMS)
        is_one = count == 1 or (self.zero_is_one and count == 0)
        return one if is_one or not several else several

    def write_page_text(self, key: str, **values: object) -> str:
        """Write a text of pages; the value `count` chooses its form."""
        return self.find_page_text(key, values.get("count")).format(**values)  # type: ignore[arg-type]


_FOUND: Final = {file.name.removesuffix(_ENDING) for file in _FOLDER.iterdir() if file.name.endswith(_ENDING)}
LANGUAGES: Final = (DEFAULT_LANGUAGE, *sorted(_FOUND - {DEFAULT_LANGUAGE}))
"""The languages that have a file, English first."""


@cache
def read_language(lang: str) -> Language:
    """Read the file of a language.  Raises ConfigError if there is none."""
    if lang not in LANGUAGES:
        raise unknown_name("language", lang, LANGUAGES)
    text = (_FOLDER / f"{lang}{_ENDING}").read_text(encoding="utf-8")
    texts = tomllib.loads(text)
    if lang != DEFAULT_LANGUAGE:
        texts["reasons"] = read_language(DEFAULT_LANGUAGE).reasons | texts["reasons"]
    return msgspec.convert({"code": lang, **texts}, Language)


def add_texts(folder: Path) -> None:
    """Add the `pieces`, `acts` and `rules` of further rule sets, from a file for each language, else in English."""
    for lang in LANGUAGES:
        language = read_language(lang)
        file = folder / f"{lang}{_ENDING}"
        text = (file if file.exists() else folder / f"{DEFAULT_LANGUAGE}{_ENDING}").read_text(encoding="utf-8")
        added = tomllib.loads(text)
        language.pieces.update(added.get("pieces", {}))
        language.acts.update(added.get("acts", {}))
        language.rules.update(added.get("rules", {}))
