"""The keys of the viewers and the words for them: one table for the terminal and for pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from arbiter.show.replay.knowledge import Viewer
from arbiter.show.theme import THEMES

Device = Literal["both", "terminal", "page"]


class Key(Struct, frozen=True):
    """One key, or several with the same action."""

    keys: str
    """Characters and names of keys as textual writes them: `right,l`."""
    action: str
    """The action with its argument, if it has one: `step(1)`."""
    written: str
    """The keys as the help shows them."""
    does: str
    footer: str = ""
    """The word in the footer of the terminal; empty if the key is not shown there."""
    on: Device = "both"


VIEWS: Final[Mapping[Viewer, str]] = {
    "arbiter": "everything",
    "red": "red",
    "blue": "blue",
    "spectator": "spectator",
}
"""The word for the view of each viewer; the arbiter sees everything."""
_COLOURS: Final = ", ".join(one.label.lower() for one in THEMES.values())

LEAVE: Final = (
    Key("t", "app.next_theme", "t", f"the next colours: {_COLOURS}", on="terminal"),
    Key("question_mark", "help", "?", "show the keys, and the signs and names of the pieces", "help"),
    Key("q", "app.leave", "q", "quit", "quit", on="terminal"),
    Key("ctrl+c,ctrl+q", "app.interrupt", "Ctrl-C", "quit at once, with exit code 130", on="terminal"),
)
IN_GAME: Final = (
    Key("right,l,j", "step(1)", "→ l j", "one step forward", "forward"),
    Key("left,h,k", "step(-1)", "← h k", "one step back", "back"),
    Key("down", "step(1)", "↓", "one step forward, down the list of plies", on="terminal"),
    Key("up", "step(-1)", "↑", "one step back, up the list of plies", on="terminal"),
    Key("pagedown", "step(10)", "PgDn", "ten steps forward"),
    Key("pageup", "step(-10)", "PgUp", "ten steps back"),
    Key("home", "first", "Home", "to the setup"),
    Key("end", "last", "End", "to the end; from there on, follow a game in progress"),
    Key("g", "ask_ply", "g", "go to a ply; or type its number"),
    Key("a", "attack(1)", "a", "to the next attack", "attack"),
    Key("A", "attack(-1)", "A", "to the previous attack"),
    Key("c", "capture(1)", "c", "to the next capture"),
    Key("C", "capture(-1)", "C", "to the previous capture"),
    Key("p", "turning_point(1)", "p", "to the next turning point"),
    Key("P", "turning_point(-1)", "P", "to the previous turning point"),
    Key("v", "story", "v", "list the turning points, to go to one", on="terminal"),
    Key("w", "reports", "w", "show what the bots report: time, evaluation, note, stderr"),
    Key("space", "play", "space", "play or stop", "play"),
    Key("plus,equals_sign", "faster", "+", "play faster"),
    Key("minus", "slower", "-", "play slower"),
    Key("s", "next_viewer", "s", f"the next seat: {', '.join(VIEWS.values())}", "seat"),
    Key("r", "view_as('red')", "r", "see what red sees"),
    Key("b", "view_as('blue')", "b", "see what blue sees"),
    Key("o", "view_as('arbiter')", "o", "see everything"),
    Key("f", "flip", "f", "turn the board round", "flip"),
    Key("n", "game(1)", "n", "to the next game", "game"),
    Key("N", "game(-1)", "N", "to the previous game"),
    Key("shift+right,L", "select(1, 0)", "⇧→ L", "select a square, to see who knows what about it", on="terminal"),
    Key("shift+left,H", "select(-1, 0)", "⇧← H", "select the square to the left", on="terminal"),
    Key("shift+down,J", "select(0, 1)", "⇧↓ J", "select the square below", on="terminal"),
    Key("shift+up,K", "select(0, -1)", "⇧↑ K", "select the square above", on="terminal"),
    Key("m", "animate", "m", "show fights step by step, or only their results", on="terminal"),
    Key("ctrl+down", "scroll(1)", "Ctrl-↓", "scroll down the text below the board", on="terminal"),
    Key("ctrl+up", "scroll(-1)", "Ctrl-↑", "scroll up the text below the board", on="terminal"),
    Key("escape,backspace", "back", "Esc", "select no square; then, back to the list of games", on="terminal"),
    *LEAVE,
)
IN_LIST: Final = (
    Key("enter,right", "open", "Enter →", "watch the game", "watch"),
    Key("down,j", "move(1)", "↓ j", "the next game"),
    Key("up,k", "move(-1)", "↑ k", "the previous game"),
    Key("pagedown", "page(1)", "PgDn", "a page down"),
    Key("pageup", "page(-1)", "PgUp", "a page up"),
    Key("home,g", "edge(-1)", "Home", "the first game"),
    Key("end,G", "edge(1)", "End", "the last game"),
    Key("slash", "filter", "/", "show games that match all words: hunter timeout red:mine round:2", "filter"),
    Key("escape", "clear", "Esc", "show all games again"),
    Key("f", "follow", "f", "follow the tournament, game by game; f stops", "follow"),
    *LEAVE,
)

_PAGE_NAMES: Final[Mapping[str, str]] = {
    "right": "ArrowRight",
    "left": "ArrowLeft",
    "pagedown": "PageDown",
    "pageup": "PageUp",
    "home": "Home",
    "end": "End",
    "space": " ",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "question_mark": "?",
}
"""The names that browsers use, by those that textual uses."""


def select_keys(keys: Iterable[Key], place: Literal["terminal", "page"]) -> Sequence[Key]:
    """Return the keys that exist in the terminal, or on pages."""
    return tuple(key for key in keys if key.on in {"both", place})


def write_keys_script() -> str:
    """Write the keys of a game, under the names that browsers use, and the views as a JavaScript object."""
    keys = [
        {
            "keys": [_PAGE_NAMES.get(name, name) for name in key.keys.split(",")],
            "action": key.action.partition("(")[0],
            "argument": key.action.partition("(")[2].strip("')"),
            "written": key.written,
            "does": key.does,
        }
        for key in select_keys(IN_GAME, "page")
    ]
    return f"window.arbiterKeys = {msgspec.json.encode({'keys': keys, 'views': VIEWS}).decode()};\n"
