"""English words with the template and the values that they were made from, so that pages can translate them."""

from collections.abc import Iterable, Mapping

from arbiter.errors import write_count


class Phrase(str):
    """Words for people; JSON needs `str(phrase)`."""

    __slots__ = ("template", "values")
    template: str
    """The words in English, with `{names}` for the values: a key of the section `phrases` of each other language."""
    values: Mapping[str, object]
    """Those that are phrases too are translated."""


def phrase(template: str, **values: object) -> Phrase:
    """Make a phrase of a template and its values."""
    made = Phrase(template.format(**values))
    made.template = template
    made.values = values
    return made


def phrase_count(count: int, noun: str) -> Phrase:
    """Make a phrase of a number of things: `1 game`, `{count} games`."""
    return phrase(write_count(count, noun) if count == 1 else f"{{count}}{write_count(0, noun)[1:]}", count=count)


def join_phrases(separator: str, parts: Iterable[str]) -> Phrase:
    """Join phrases, and words that no language translates."""
    values = {f"part_{number}": part for number, part in enumerate(parts)}
    return phrase(separator.join(f"{{{name}}}" for name in values), **values)
