"""How a person chooses an action: typed, or picked from a list; and what else he may say at his turn."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from arbiter.games.notation import write_action
from arbiter.show.person.typed import find_actions
from protocol.words import AcceptDraw, AnyAction, Phase, Resign

HELP: Final = """\
a4 a5     move from a4 to a5, or attack there; a4 alone lists what that piece can do
12        the action of that number in the last list
moves     list all that you may do; `moves a4` what the piece on a4 may
board     show the board again
draw      offer a draw with your next move
accept    accept the draw that you were offered
resign    give the game up"""
_COLUMNS: Final = 4
_MOST: Final = 1  # so many actions need no list


class Said(Struct, frozen=True):
    """What came of a line: an action to play, or something to show; a draw goes with the next action."""

    action: AnyAction | None = None
    show: str = ""
    offers_draw: bool = False


class TypedTurn:
    """One question to a person: what he may do, and the list he was shown last."""

    def __init__(
        self, phase: Phase, legal: Sequence[AnyAction], drawing: Callable[[], str], *, is_offered_draw: bool = False
    ) -> None:
        self._may_end = phase == "turn"
        self._is_offered_draw = is_offered_draw
        self._legal = legal
        self._listed = list(legal)
        self._drawing = drawing

    def read(self, line: str) -> Said:
        """Understand a line."""
        command, _, rest = line.strip().lower().partition(" ")
        if command in _COMMANDS:
            return _COMMANDS[command](self, rest)
        if command.isdecimal() and not rest:
            return self._picked(int(command))
        return self._meant(find_actions(line, self._legal), line)

    def _picked(self, number: int) -> Said:
        if 1 <= number <= len(self._listed):
            return Said(self._listed[number - 1])
        return Said(show=f"the last list has the numbers 1 to {len(self._listed)}")

    def _meant(self, actions: list[AnyAction], line: str) -> Said:
        if len(actions) == _MOST:
            return Said(actions[0])
        if not actions:
            return Said(show=f"{line.strip()!a} is nothing that you may do now; `moves` lists all, `help` says more")
        return self._list(actions)

    def _list(self, actions: Sequence[AnyAction]) -> Said:
        self._listed = list(actions)
        cells = [f"{number:>3} {write_action(action)}" for number, action in enumerate(actions, start=1)]
        width = max(map(len, cells)) + 2
        rows = range(0, len(cells), _COLUMNS)
        return Said(
            show="\n".join("".join(f"{cell:<{width}}" for cell in cells[row : row + _COLUMNS]).rstrip() for row in rows)
        )

    def _help(self, _rest: str) -> Said:
        return Said(show=HELP)

    def _moves(self, rest: str) -> Said:
        actions = find_actions(rest, self._legal) if rest else self._legal
        return self._list(actions) if actions else Said(show=f"nothing can be done with {rest!a}")

    def _board(self, _rest: str) -> Said:
        return Said(show=self._drawing())

    def _draw(self, _rest: str) -> Said:
        return Said(show="a draw will be offered with your next action", offers_draw=True)

    def _accept(self, _rest: str) -> Said:
        return self._ended_by(AcceptDraw()) if self._is_offered_draw else Said(show="you were offered no draw just now")

    def _resign(self, _rest: str) -> Said:
        return self._ended_by(Resign())

    def _ended_by(self, action: AnyAction) -> Said:
        return Said(action) if self._may_end else Said(show="finish your turn first")


_COMMANDS: Final[dict[str, Callable[[TypedTurn, str], Said]]] = {
    "help": TypedTurn._help,
    "?": TypedTurn._help,
    "moves": TypedTurn._moves,
    "board": TypedTurn._board,
    "draw": TypedTurn._draw,
    "accept": TypedTurn._accept,
    "resign": TypedTurn._resign,
}
