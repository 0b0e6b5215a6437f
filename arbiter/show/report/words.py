"""The words of pages in one language, for templates."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from markupsafe import Markup, escape

from arbiter.games.catalogue import RULE_SETS
from arbiter.show.language import DEFAULT_LANGUAGE, SentenceWriter, read_language
from arbiter.show.rules_page import name_rules
from arbiter.show.tables.sheet import Column
from arbiter.show.text import plain
from arbiter.tournament.standings.game_state import COUNTS, GameState
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import RankId, Seat

_LINK: Final = re.compile(r"\[([^\]]*)\]")
_PLACEHOLDER: Final = re.compile(r"\\\{(\w+)\\\}")  # after escaping
_COMMA: Final = ", "
_CODE: Final = re.compile(r"`([^`]*)`")


class PageWords:
    """Writes the texts of pages, and translates the words of tables."""

    def __init__(self, lang: str) -> None:
        """Write in a language.  Raises ConfigError if it is unknown."""
        self._language = read_language(lang)
        self._sentences = SentenceWriter(lang)
        self._is_english = lang == DEFAULT_LANGUAGE
        titles = {ruleset.title: name_rules(ruleset, lang) for ruleset in RULE_SETS}
        self._known = titles | self._language.tables
        self._patterns = [
            (re.compile(_PLACEHOLDER.sub(r"(?P<\1>.+)", re.escape(words))), translated)
            for words, translated in self._known.items()
            if "{" in words
        ]

    @property
    def filters(self) -> Mapping[str, Callable[..., str]]:
        """The filters of templates by their names."""
        return {
            "ending": self.write_ending,
            "foreign": self.mark_foreign,
            "head": self.write_head,
            "rank_name": self.name_rank,
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
        if words in self._known:
            return self._known[words]
        found = ((pattern.fullmatch(words), translated) for pattern, translated in self._patterns)
        return next((translated.format(**match.groupdict()) for match, translated in found if match), None)

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
        words = self._sentences.write_ending(game.ending, game.why, game.plies)
        if state.counts or state.code == game.ending:
            return words
        return f"{words} ({self._language.write_page_text(f'state_{state.code}_short', by=state.by)})"

    def describe_result(self, game: StoredGame, names: Mapping[Seat, str]) -> str:
        """Describe the result of a game in a sentence."""
        return self._sentences.describe_result(game.winner, game.ending, game.why, game.plies, names)

    def name_rank(self, rank: RankId) -> str:
        """Write the name of a rank for a sentence."""
        return self._sentences.write_name("red", rank)
