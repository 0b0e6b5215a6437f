"""Texts of tables with the keys and the values that they were made from, so that pages can write them in a language."""

from collections.abc import Iterable, Mapping
from typing import Self

from arbiter.languages.catalogue import DEFAULT_LANGUAGE, Language, read_language


class Phrase(str):
    """Words for people: in English, which terminals, Markdown and CSV show; JSON needs `str(phrase)`."""

    __slots__ = ("key", "values")
    key: str
    """A key of the section `tables`."""
    values: Mapping[str, object]
    """Those that are phrases too are written in the same language, others are as they are."""

    @classmethod
    def make(cls, key: str, values: Mapping[str, object]) -> Self:
        """Make a phrase."""
        made = cls(cls.write_in(read_language(DEFAULT_LANGUAGE), key, values))
        made.key = key
        made.values = values
        return made

    @property
    def keys(self) -> frozenset[str]:
        """The keys of all texts in it."""
        return frozenset((self.key,)).union(*(one.keys for one in self.values.values() if isinstance(one, Phrase)))

    def write(self, language: Language) -> str:
        """Write it in a language."""
        values = {name: one.write(language) if isinstance(one, Phrase) else one for name, one in self.values.items()}
        return self.write_in(language, self.key, values)

    @staticmethod
    def write_in(language: Language, key: str, values: Mapping[str, object]) -> str:
        """Write a text with values in a language."""
        return language.write_table_text(key, **values)


class Heading(Phrase):
    """A phrase that begins with a capital."""

    __slots__ = ()

    @staticmethod
    def write_in(language: Language, key: str, values: Mapping[str, object]) -> str:
        return capitalise(language.write_table_text(key, **values))


class _Joined(Phrase):
    """Phrases, and texts that no language translates, one after the other."""

    __slots__ = ()

    @staticmethod
    def write_in(_language: Language, _key: str, values: Mapping[str, object]) -> str:
        return "".join(map(str, values.values()))


def phrase(key: str, **values: object) -> Phrase:
    """Make the phrase of a text of tables and its values; the value `count` chooses the form."""
    return Phrase.make(key, values)


def heading(key: str, **values: object) -> Phrase:
    """Make a phrase that begins with a capital."""
    return Heading.make(key, values)


def join_phrases(separator: str, parts: Iterable[str]) -> Phrase:
    """Join phrases, and texts that no language translates."""
    pieces = [piece for part in parts for piece in (separator, part)][1:]
    return _Joined.make("", {str(number): piece for number, piece in enumerate(pieces)})


def find_phrase(key: str, **values: object) -> Phrase | None:
    """Make a phrase if there is a text with a key that is made of a code."""
    key = key.replace(" ", "_")
    return phrase(key, **values) if key in read_language(DEFAULT_LANGUAGE).tables else None


def name_code(code: str) -> str:
    """Return the words for a code such as `round-robin`; the code itself if there are none, or if they need values."""
    text = read_language(DEFAULT_LANGUAGE).tables.get(code.replace(" ", "_"), "{")
    return code if "{" in text else find_phrase(code) or code


def capitalise(text: str) -> str:
    """Write the first letter of a text as a capital."""
    return text[:1].upper() + text[1:]
