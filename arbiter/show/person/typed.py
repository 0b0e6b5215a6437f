"""What a person types for an action: its squares, a few letters of its words, or its number in a list."""

import re
from collections.abc import Sequence
from typing import Final

from arbiter.games.notation import write_action
from protocol.words import AnyAction

_WORD: Final = re.compile(r"[a-z0-9:]+")
_TWO_SQUARES: Final = re.compile(r"([a-z]\d{1,2})([a-z]\d{1,2})")
_SHORTEST: Final = 2  # letters that stand for a word


def find_actions(text: str, legal: Sequence[AnyAction]) -> list[AnyAction]:
    """Find the actions that are meant by a text: exactly one where it says all there is to say.

    `a4 a5`, `a4-a5` and `a4a5` are a move; `e3 look e5` and `b2 infil b7 spy` name the act too; `a4` alone means
    all that the piece on a4 can do.
    """
    said = _words(text)
    if not said:
        return []
    meant = [action for action in legal if _is_meant(said, _words(write_action(action)))]
    exact = [action for action in meant if _words(write_action(action)) == said]
    return exact or meant


def _words(text: str) -> list[str]:
    return [part for word in _WORD.findall(text.lower()) for part in _parts(word)]


def _parts(word: str) -> tuple[str, ...]:
    glued = _TWO_SQUARES.fullmatch(word)
    return glued.groups() if glued else (word,)


def _is_meant(said: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether the words said stand among an action's words in their order."""
    left = iter(words)
    return all(any(_stands_for(one, word) for word in left) for one in said)


def _stands_for(said: str, word: str) -> bool:
    return said == word or (len(said) >= _SHORTEST and said.isalpha() and word.startswith(said))
