"""The keys of the viewers: one table for the terminal and for pages."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

Device = Literal["both", "terminal", "page"]


class Key(Struct, frozen=True):
    """One key, or several with the same action."""

    keys: str
    """Characters and names of keys as textual writes them: `right,l`."""
    action: str
    """The action with its argument, if it has one: `step(1)`."""
    written: str
    """The keys as the help shows them."""
    text: str
    """Key of the text about what it does."""
    has_footer: bool = False
    """The footer of the terminal shows it, with the text `footer_` and this key."""
    on: Device = "both"


LEAVE: Final = (
    Key("t", "app.next_theme", "t", "colours", on="terminal"),
    Key("question_mark", "help", "?", "help", has_footer=True),
    Key("q", "app.leave", "q", "quit", has_footer=True, on="terminal"),
    Key("ctrl+c,ctrl+q", "app.interrupt", "Ctrl-C", "interrupt", on="terminal"),
)
IN_GAME: Final = (
    Key("right,l,j", "step(1)", "→ l j", "forward", has_footer=True),
    Key("left,h,k", "step(-1)", "← h k", "back", has_footer=True),
    Key("down", "step(1)", "↓", "down", on="terminal"),
    Key("up", "step(-1)", "↑", "up", on="terminal"),
    Key("pagedown", "step(10)", "PgDn", "ten_forward"),
    Key("pageup", "step(-10)", "PgUp", "ten_back"),
    Key("home", "first", "Home", "first"),
    Key("end", "last", "End", "last"),
    Key("g", "ask_ply", "g", "ask_ply"),
    Key("a", "attack(1)", "a", "attack", has_footer=True),
    Key("A", "attack(-1)", "A", "attack_back"),
    Key("c", "capture(1)", "c", "capture"),
    Key("C", "capture(-1)", "C", "capture_back"),
    Key("p", "turning_point(1)", "p", "turning_point"),
    Key("P", "turning_point(-1)", "P", "turning_point_back"),
    Key("v", "story", "v", "story", on="terminal"),
    Key("w", "reports", "w", "reports"),
    Key("space", "play", "space", "play", has_footer=True),
    Key("plus,equals_sign", "faster", "+", "faster"),
    Key("minus", "slower", "-", "slower"),
    Key("s", "next_viewer", "s", "next_seat", has_footer=True),
    Key("r", "view_as('red')", "r", "as_red"),
    Key("b", "view_as('blue')", "b", "as_blue"),
    Key("o", "view_as('arbiter')", "o", "as_everything"),
    Key("f", "flip", "f", "flip", has_footer=True),
    Key("n", "game(1)", "n", "next_game", has_footer=True),
    Key("N", "game(-1)", "N", "previous_game"),
    Key("shift+right,L", "select(1, 0)", "⇧→ L", "select_right", on="terminal"),
    Key("shift+left,H", "select(-1, 0)", "⇧← H", "select_left", on="terminal"),
    Key("shift+down,J", "select(0, 1)", "⇧↓ J", "select_down", on="terminal"),
    Key("shift+up,K", "select(0, -1)", "⇧↑ K", "select_up", on="terminal"),
    Key("m", "animate", "m", "animate", on="terminal"),
    Key("ctrl+down", "scroll(1)", "Ctrl-↓", "scroll_down", on="terminal"),
    Key("ctrl+up", "scroll(-1)", "Ctrl-↑", "scroll_up", on="terminal"),
    Key("escape,backspace", "back", "Esc", "escape", on="terminal"),
    *LEAVE,
)
IN_LIST: Final = (
    Key("enter,right", "open", "Enter →", "open", has_footer=True),
    Key("down,j", "move(1)", "↓ j", "list_next"),
    Key("up,k", "move(-1)", "↑ k", "list_previous"),
    Key("pagedown", "page(1)", "PgDn", "page_down"),
    Key("pageup", "page(-1)", "PgUp", "page_up"),
    Key("home,g", "edge(-1)", "Home", "list_first"),
    Key("end,G", "edge(1)", "End", "list_last"),
    Key("slash", "filter", "/", "filter", has_footer=True),
    Key("escape", "clear", "Esc", "clear"),
    Key("f", "follow", "f", "follow", has_footer=True),
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
    """Write the keys of a game, under the names that browsers use, as a JavaScript object."""
    keys = [
        {
            "keys": [_PAGE_NAMES.get(name, name) for name in key.keys.split(",")],
            "action": key.action.partition("(")[0],
            "argument": key.action.partition("(")[2].strip("')"),
            "written": key.written,
            "text": key.text,
        }
        for key in select_keys(IN_GAME, "page")
    ]
    return f"window.arbiterKeys = {msgspec.json.encode({'keys': keys}).decode()};\n"
