"""All texts in every language, from the files in this folder."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from arbiter.errors import unknown_name
from protocol.words import RankId

DEFAULT_LANGUAGE: Final = "en"
_FOLDER: Final = files("arbiter.languages")
_ENDING: Final = ".toml"
_FORMS: Final = " | "  # separates the forms of a text
_SHARING: Final = ("terminal", "viewer", "play", "desk", "pages", "scripts", "tables")
"""Sections that contain the texts of the section `words` too."""
_OPTIONAL: Final = {"clauses", "editions", "titles", "yours"}
"""Sections that contain what a language needs, and no text for each English one."""


class Language(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of one language, in English if it lacks them; CONTRIBUTING.md describes the sections."""

    code: str
    """The name of its file, such as "de"."""
    name: str
    """Name of the language, in itself."""
    pieces: dict[RankId, str]
    words: dict[str, str]
    """Texts that the sections of _SHARING have in common."""
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
    """Texts of the pages around the viewer."""
    scripts: dict[str, str]
    """Texts that the scripts of these pages write."""
    tables: dict[str, str]
    """Heads, titles and words of tables."""
    endings: dict[str, str]
    """Endings of games in a few words."""
    results: dict[str, str]
    """Sentences about results."""
    reasons: dict[str, str]
    """Sentences about reasons (`protocol/reasons.py`)."""
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

    def choose_form(self, text: str, count: object) -> str:
        """Return the form of a text for one or for several things; the only form if `count` is None."""
        one, _, several = text.partition(_FORMS)
        is_one = count == 1 or (self.zero_is_one and count == 0)
        return one if is_one or not several else several

    def write_page_text(self, key: str, **values: object) -> str:
        """Write a text of pages; the value `count` chooses its form."""
        return self.choose_form(self.pages[key], values.get("count")).format(**values)

    def write_table_text(self, key: str, **values: object) -> str:
        """Write a text of tables; the value `count` chooses its form."""
        return self.choose_form(self.tables[key], values.get("count")).format(**values)


_FOUND: Final = {file.name.removesuffix(_ENDING) for file in _FOLDER.iterdir() if file.name.endswith(_ENDING)}
LANGUAGES: Final = (DEFAULT_LANGUAGE, *sorted(_FOUND - {DEFAULT_LANGUAGE}))
"""The languages that have a file, English first."""


@cache
def read_language(lang: str) -> Language:
    """Read the file of a language; texts that it lacks are in English.  Raises ConfigError if there is none."""
    if lang not in LANGUAGES:
        raise unknown_name("language", lang, LANGUAGES)
    own = _read_file(lang)
    texts = {section: texts | own.get(section, {}) for section, texts in _read_sections(DEFAULT_LANGUAGE).items()}
    for section in _SHARING:
        texts[section] = texts["words"] | texts[section]
    return msgspec.convert(own | texts | {"code": lang}, Language)


def list_texts(lang: str) -> frozenset[str]:
    """List the texts in the file of a language, as `SECTION.KEY`, without those that not every language needs."""
    return frozenset(f"{section}.{key}" for section, texts in _read_sections(lang).items() for key in texts)


def _read_sections(lang: str) -> dict[str, dict[str, str]]:
    return {
        section: texts
        for section, texts in _read_file(lang).items()
        if isinstance(texts, dict) and section not in _OPTIONAL
    }


@cache
def _read_file(lang: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{lang}{_ENDING}").read_text(encoding="utf-8"))


def add_texts(folder: Path) -> None:
    """Add the `pieces`, `acts` and `rules` of further rule sets, from a file for each language, else in English."""
    for lang in LANGUAGES:
        language = read_language(lang)
        file = folder / f"{lang}{_ENDING}"
        text = (file if file.exists() else folder / f"{DEFAULT_LANGUAGE}{_ENDING}").read_text(encoding="utf-8")
        added = tomllib.loads(text)
        for section in ("pieces", "acts", "rules"):
            getattr(language, section).update(added.get(section, {}))
