"""Names and sentences in every language; what programs and authors wrote stays as it is."""

from collections.abc import Mapping
from typing import Final

import msgspec

from arbiter.games.base import Ending
from arbiter.games.catalogue import find_ruleset
from arbiter.games.ruleset import RuleSet
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, read_language
from arbiter.languages.sentences import describe_result, write_ending, write_reason
from arbiter.show.boards import write_rank
from arbiter.tournament.standings.game_status import GameStatus
from protocol.reasons import AnyReason, Reason
from protocol.words import SEATS, Place, RankId, Seat

_SEVERAL: Final = ","

Labels = Mapping[Seat, Mapping[RankId, str]]


def name_rank(ruleset: RuleSet, rank_id: RankId, lang: str = DEFAULT_LANGUAGE) -> str:
    """Return the name of a rank in one of the LANGUAGES, as the edition prints it.  Raises ConfigError."""
    language = read_language(lang)
    printed = language.editions.get(ruleset.edition or ruleset.name, {})
    return printed.get(rank_id) or language.pieces[rank_id]


class SentenceWriter:
    """Writes names and sentences in one language, by default with the names of the 2011 booklet."""

    def __init__(self, lang: str = DEFAULT_LANGUAGE, rules: str | None = None) -> None:
        """Use the names that an edition prints.  Raises ConfigError for unknown rules or an unknown language."""
        self.lang = lang
        self._language = read_language(lang)
        texts = self._language
        self._templates = texts.board | texts.acts | texts.story | texts.terminal
        self._ruleset = None if rules is None else find_ruleset(rules)
        self._names: dict[tuple[Seat, RankId], str] = {}
        self._pieces: dict[tuple[Seat, RankId | None, bool], str] = {}

    def write(self, key: str, *, is_yours: bool = False, **values: object) -> str:
        """Write a sentence; `is_yours` selects the form that addresses the reader, if there is one."""
        template = self._language.yours.get(key) if is_yours else None
        text = self._language.choose_form(template or self._templates[key], values.get("count"))
        return text.format(**values)

    def has(self, key: str) -> bool:
        """Return True if there is such a sentence."""
        return key in self._templates

    def write_seat(self, seat: Seat) -> str:
        return self._templates[seat]

    def write_key(self, key: str) -> str:
        """Write what a key of the viewers does."""
        return self._language.keys[key]

    def write_theme(self, name: str) -> str:
        return self._language.viewer[f"theme_{name}"]

    def write_name(self, seat: Seat, rank: RankId | None) -> str:
        """Write the name of a piece for a sentence, or that it is unknown."""
        if rank is None:
            return self._templates["unknown"]
        if (seat, rank) not in self._names:
            figure = self._find_figure(seat, rank)
            name = self._name_rank(rank) if figure is None else f"{figure} ({write_rank(rank)})"
            self._names[seat, rank] = name if figure or self._language.capital_nouns else name.lower()
        return self._names[seat, rank]

    def write_piece(self, seat: Seat, rank: RankId | None, viewer: str) -> str:
        """Write the name of a piece with its owner."""
        key = seat, rank, seat == viewer
        if key not in self._pieces:
            name = self.write_name(seat, rank)
            self._pieces[key] = self.write("piece", is_yours=seat == viewer, seat=self.write_seat(seat), name=name)
        return self._pieces[key]

    def write_place(self, place: Place) -> str:
        """Write a place: a square as it is, a card of the line by its number."""
        kind, _, slot = place.partition(":")
        return self.write("slot", number=slot) if kind == "line" else place

    def write_ending(self, ending: Ending, reason: AnyReason | None = None) -> str:
        """Write the ending of a game in a few words, without the players."""
        return write_ending(ending, reason, self.lang, flag=self._name_rank("flag"))

    def write_state(self, state: GameStatus) -> str:
        """Write the state of a game that does not count in a few words."""
        return state.words.write(self._language)

    def write_reason(self, reason: Reason | None) -> str:
        """Write a reason; what a program wrote stays as it is."""
        return write_reason(reason, self.lang)

    def describe_result(
        self, winner: Seat | None, ending: Ending, reason: AnyReason | None, names: Mapping[Seat, str]
    ) -> str:
        """Describe the result of a game and its reason in a sentence."""
        return describe_result(winner, ending, reason, names, self.lang)

    def labels(self) -> Labels:
        """Return the names of each seat's pieces for lists, the highest first: `Marshal`, in some rule sets `Yoda`."""
        ranks = [rank.id for rank in self._ruleset.ranks] if self._ruleset else list(self._language.pieces)
        return {
            seat: {rank: self._find_figure(seat, rank) or self._name_rank(rank) for rank in ranks} for seat in SEATS
        }

    def _name_rank(self, rank: RankId) -> str:
        return self._language.pieces[rank] if self._ruleset is None else name_rank(self._ruleset, rank, self.lang)

    def _find_figure(self, seat: Seat, rank: RankId) -> str | None:
        """Return the figure that the edition prints, if it has exactly one for the rank."""
        figure = self._ruleset.figures.get(seat, {}).get(rank, _SEVERAL) if self._ruleset else _SEVERAL
        return None if _SEVERAL in figure else figure


ENGLISH: Final = SentenceWriter()


def write_words_script(lang: str) -> str:
    """Write all words of the scripts of pages in one language as a JavaScript object."""
    language = read_language(lang)
    texts = {section: getattr(language, section) for section in ("board", "viewer", "keys", "scripts")}
    return f"window.arbiterWords = {msgspec.json.encode(texts).decode()};\n"
