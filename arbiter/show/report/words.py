"""The words of pages in one language, for templates."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from markupsafe import Markup, escape

from arbiter.games.catalogue import RULE_SETS
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, read_language
from arbiter.show.language import SentenceWriter, Translator
from arbiter.show.phrase import Phrase
from arbiter.show.rules_page import name_rules
from arbiter.show.tables.sheet import Cell, Column, write_cell
from arbiter.show.text import plain
from arbiter.tournament.standings.game_state import COUNTS, GameState
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from protocol.words import RankId, Seat

_LINK: Final = re.compile(r"\[([^\]]*)\]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
_WORDS: Final = frozenset(
    {
        "by",
        "compared with the next",
        "format",
        "how",
        "moves",
        "record",
        "rules",
        "separated_by",
        "state",
        "status",
        "text",
        "verdict",
    }
)
"""Keys of columns whose cells are words; cells of other columns are translated if they are phrases."""
_COMMA: Final = ", "
_MOST_CACHED: Final = 1 << 12  # texts
_CODE: Final = re.compile(r"`([^`]*)`")


class PageWords:
    """Writes the texts of pages, and translates the words of tables."""

    def __init__(self, lang: str) -> None:
        """Write in a language.  Raises ConfigError if it is unknown."""
        self._language = read_language(lang)
        self._sentences = SentenceWriter(lang)
        self._is_english = lang == DEFAULT_LANGUAGE
        titles = {key: name_rules(one, lang) for one in RULE_SETS for key in (one.name, one.title)}
        self._find = lru_cache(_MOST_CACHED)(Translator(titles | self._language.tables).translate)

    @property
    def filters(self) -> Mapping[str, Callable[..., str]]:
        """The filters of templates by their names."""
        return {
            "ending": self.write_ending,
            "page_cell": self.write_cell,
            "foreign": self.mark_foreign,
            "head": self.write_head,
            "rank_name": self.name_rank,
            "because": self._sentences.write_reason,
            "reason": self.write_reason,
            "result": self.describe_result,
            "words": self.translate,
            "words_of_list": self.translate_list,
        }

    def write(self, key: str, *links: str, **values: object) -> Markup:
        """Write a text: `[words]` become links to these addresses, one after the other, and `` `words` `` code.

        The value `count` chooses the form for one or for several things.
        """
        html = _CODE.sub(r"<code>\1</code>", str(escape(self._language.find_page_text(key, values.get("count")))))  # type: ignore[arg-type]
        for link in links:
            address = str(escape(link)).replace("{", "{{").replace("}", "}}")
            html = _LINK.sub(lambda found, address=address: f'<a href="{address}">{found[1]}</a>', html, count=1)  # type: ignore[misc]
        shown = {name: plain(value) if type(value) is str else value for name, value in values.items()}
        return Markup(html).format(**shown)  # noqa: S704 - our own text, escaped; values are escaped

    def translate(self, words: str) -> str:
        """Translate words of tables; others stay as they are."""
        return self._find_translation(words) or words

    def _find_translation(self, words: str) -> str | None:
        if not isinstance(words, Phrase):
            return self._find(words)
        template = self._language.phrases.get(words.template)
        if template is None:
            if not words.values or _LETTER.search(_PLACEHOLDER.sub("", words.template)):
                return self._find(str(words))
            template = words.template
        values = {
            name: self.translate(value) if isinstance(value, Phrase) else value for name, value in words.values.items()
        }
        return self._language.choose_form(template, words.values.get("count")).format(**values)  # type: ignore[arg-type]

    def write_cell(self, cell: Cell, key: str) -> str:
        """Write a cell of the column with a key."""
        written = write_cell(cell)
        return self.translate(written) if key in _WORDS or isinstance(cell, Phrase) else written

    def translate_list(self, words: str) -> str:
        """Translate the parts of a list, such as the values of a setting; others stay as they are."""
        return _COMMA.join(map(self.translate, words.split(_COMMA)))

    def mark_foreign(self, text: str) -> Markup:
        """Write the attribute of an element whose text is English on a page in another language."""
        is_known = self._is_english or not text or self._find_translation(text) is not None
        return Markup("" if is_known else ' lang="en"')  # noqa: S704 - a constant

    def write_head(self, column: Column[Any]) -> str:
        """Write the head of a column."""
        if column.is_name:
            return column.page_head
        return self._language.tables.get(column.head, column.page_head)

    def write_ending(self, game: StoredGame, state: GameState = COUNTS) -> str:
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

    def describe_result(self, game: StoredGame, names: Mapping[Seat, str]) -> str:
        """Describe the result of a game in a sentence."""
        return self._sentences.describe_result(game.winner, game.ending, game.reason, names)

    def name_rank(self, rank: RankId) -> str:
        """Write the name of a rank for a sentence."""
        return self._sentences.write_name("red", rank)
