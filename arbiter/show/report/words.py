"""The words of pages in one language, for templates."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from markupsafe import Markup, escape

from arbiter.languages.catalogue import DEFAULT_LANGUAGE, list_texts, read_language
from arbiter.languages.phrase import Phrase, capitalise
from arbiter.show.language import SentenceWriter
from arbiter.show.tables.prizes import name_round
from arbiter.show.tables.sheet import Cell, Coded, Column, write_cell
from arbiter.show.text import plain
from arbiter.tournament.standings.game_status import COUNTS, GameStatus
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame

_LINK: Final = re.compile(r"\[([^\]]*)\]")
_CODE: Final = re.compile(r"`([^`]*)`")


class PageWords:
    """Writes the texts of pages and of tables."""

    def __init__(self, lang: str) -> None:
        """Write in a language.  Raises ConfigError if it is unknown."""
        self._language = read_language(lang)
        self._sentences = SentenceWriter(lang)
        self._missing = list_texts(DEFAULT_LANGUAGE) - list_texts(lang)

    @property
    def filters(self) -> Mapping[str, Callable[..., str]]:
        """The filters of templates by their names."""
        return {
            "capital": capitalise,
            "ending": self.write_ending,
            "page_cell": self.write_cell,
            "foreign": self.mark_foreign,
            "head": self.write_head,
            "lacking": self.mark_lacking,
            "rank_name": partial(self._sentences.write_name, "red"),
            "because": self._sentences.write_reason,
            "reason": self.write_reason,
            "result": lambda game, names: self._sentences.describe_result(game.winner, game.ending, game.reason, names),
            "name": lambda code: self.translate(name_round(code)),
            "words": self.translate,
        }

    def write(self, key: str, *links: str, **values: object) -> Markup:
        """Write a text: `[words]` become links to these addresses, one after the other, and `` `words` `` code.

        The value `count` chooses the form for one or for several things.
        """
        text = self._language.choose_form(self._language.pages[key], values.get("count"))
        html = _CODE.sub(r"<code>\1</code>", str(escape(text)))
        for link in links:
            address = str(escape(link)).replace("{", "{{").replace("}", "}}")
            html = _LINK.sub(lambda found, address=address: f'<a href="{address}">{found[1]}</a>', html, count=1)  # type: ignore[misc]
        shown = {name: plain(value) if type(value) is str else value for name, value in values.items()}
        return Markup(html).format(**shown)  # noqa: S704 - our own text, escaped; values are escaped

    def write_heading(self, key: str, **values: object) -> str:
        """Write a text of pages with a capital."""
        return capitalise(self._language.write_page_text(key, **values))

    def translate(self, words: str) -> str:
        """Write a phrase; other words stay as they are."""
        return words.write(self._language) if isinstance(words, Phrase) else words

    def write_cell(self, cell: Cell) -> str:
        """Write a cell of a table."""
        words = cell.words if isinstance(cell, Coded) else cell
        return write_cell(self.translate(words) if isinstance(words, str) else words)

    def mark_foreign(self, words: object) -> Markup:
        """Write the attribute of an element with English words, because this language lacks them or some of them."""
        words = words.words if isinstance(words, Coded) else words
        keys = words.keys if isinstance(words, Phrase) else ()
        return _mark(any(f"{section}.{key}" in self._missing for key in keys for section in ("tables", "words")))

    def mark_lacking(self, key: str) -> Markup:
        """Write the same attribute for a text of pages."""
        return _mark(f"pages.{key}" in self._missing)

    def write_head(self, column: Column[Any]) -> str:
        """Write the head of a column."""
        head = self.translate(column.head)
        return head if column.is_name else capitalise(head)

    def write_ending(self, game: StoredGame, state: GameStatus = COUNTS) -> str:
        """Write the ending of a game in a few words, with its state if it does not count."""
        words = self._sentences.write_ending(game.ending, game.reason)
        if state.counts or state.code == game.ending:
            return words
        return f"{words} ({self._sentences.write_state(state)})"

    def write_reason(self, game: StoredGame) -> str:
        """Write why a game was forfeited."""
        if isinstance(game, RuledGame) and not game.is_replay:
            return self._language.write_page_text(
                "ruling_because", number=game.ruling.number, because=self._sentences.write_reason(game.ruling.reason)
            )
        return self._sentences.write_reason(game.reason)


def _mark(is_foreign: bool) -> Markup:
    return Markup(' lang="en"' if is_foreign else "")  # noqa: S704 - a constant
