"""The commands that a person types in a turn: actions, lists of actions, and draw offers."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from arbiter.games.notation import write_action
from protocol.bot import Turn
from protocol.words import AcceptDraw, AnyAction, Resign

HELP_TO_DEPLOY: Final = """\
a1 b2     swap what is on a1 and b2; one of them may be empty
new       another random deployment
board     show the deployment again
Enter     begin the game with the deployment shown"""
HELP_TO_LAY_CARDS: Final = """\
2 0 1     put the cards with these numbers in your line, from left to right
board     list your cards again
Enter     put the first cards in your line"""
HELP: Final = """\
a4 a5     move from a4 to a5, or attack a5; a4 alone lists its actions
12        the action with this number in the last list
moves     list all your actions; `moves a4` lists those of the piece on a4
board     show the board again
draw      offer a draw with your next move
accept    accept the draw offer of your opponent
resign    resign the game"""
_COLUMNS: Final = 4
_WORD: Final = re.compile(r"[a-z0-9:]+")
_TWO_PLACES: Final = re.compile(r"([a-z]\d{1,2})([a-z]\d{1,2})|(\d)x(\d)")
_SHORTEST: Final = 2  # letters of an abbreviated word


class Reply(Struct, frozen=True):
    """The reply to a typed line: an action to play, or a text to show."""

    action: AnyAction | None = None
    show: str = ""
    offers_draw: bool = False
    """Offer a draw with the next action."""


class TypedTurn:
    """One question to a person: the legal actions, and the list shown last."""

    def __init__(self, turn: Turn, draw: Callable[[], str]) -> None:
        self._turn = turn
        self._legal = self._listed = turn.legal
        self._draw = draw

    def read(self, line: str) -> Reply:
        """Interpret a line."""
        command, _, rest = line.strip().lower().partition(" ")
        match command:
            case "help" | "?":
                reply = Reply(show=HELP)
            case "moves":
                actions = find_actions(rest, self._legal) if rest else self._legal
                reply = self._list(actions) if actions else Reply(show=f"there are no actions for {rest!a}")
            case "board":
                reply = Reply(show=self._draw())
            case "draw":
                reply = Reply(show="a draw will be offered with your next action", offers_draw=True)
            case "accept" if not self._turn.draw_offered:
                reply = Reply(show="there is no draw offer to accept")
            case "accept" | "resign" if self._turn.phase != "turn":
                reply = Reply(show="finish your turn first")
            case "accept" | "resign":
                reply = Reply(AcceptDraw() if command == "accept" else Resign())
            case _:
                reply = self._find_action(line)
        return reply

    def _find_action(self, line: str) -> Reply:
        """Find an action by its number in the list or by its words."""
        text = line.strip()
        if text.isdecimal():
            if 1 <= int(text) <= len(self._listed):
                return Reply(self._listed[int(text) - 1])
            return Reply(show=f"the last list has the numbers 1 to {len(self._listed)}")
        actions = find_actions(text, self._legal)
        if not actions:
            return Reply(show=f"{text!a} is not possible now; `moves` lists your actions, `help` all commands")
        return Reply(actions[0]) if len(actions) == 1 else self._list(actions)

    def _list(self, actions: Sequence[AnyAction]) -> Reply:
        self._listed = list(actions)
        cells = [f"{number:>3} {write_action(action)}" for number, action in enumerate(actions, start=1)]
        width = max(map(len, cells)) + 2
        rows = (cells[start : start + _COLUMNS] for start in range(0, len(cells), _COLUMNS))
        return Reply(show="\n".join("".join(f"{cell:<{width}}" for cell in row).rstrip() for row in rows))


def find_actions(text: str, legal: Sequence[AnyAction]) -> list[AnyAction]:
    """Find the actions that a text describes.

    `a4 a5`, `a4-a5` and `a4a5` are a move, `3x2` attacks a card; `e3 look e5` and `b2 infil b7 spy` name other
    actions, which may be abbreviated; `a4` alone describes all actions of the piece on a4.
    """
    typed = _split_words(text)
    if not typed:
        return []
    found = [action for action in legal if _describes(typed, _split_words(write_action(action)))]
    exact = [action for action in found if _split_words(write_action(action)) == typed]
    return exact or found


def _split_words(text: str) -> list[str]:
    words: list[str] = []
    for word in _WORD.findall(text.lower().replace("line:", "").replace("hand:", "")):
        places = _TWO_PLACES.fullmatch(word)
        words += filter(None, places.groups()) if places else (word,)
    return words


def _describes(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Return True if the typed words, perhaps abbreviated, appear among an action's words in the same order."""
    left = iter(words)
    return all(
        any(one == word or (len(one) >= _SHORTEST and one.isalpha() and word.startswith(one)) for word in left)
        for one in typed
    )
