"""The keys, in one list for the bindings, the footer and the help."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from textual.binding import Binding, BindingType


class Key(Struct, frozen=True):
    """One key, or several with the same action."""

    keys: str
    """Names that textual uses: `left,h`."""
    action: str
    written: str
    """The keys as the help shows them."""
    does: str
    footer: str = ""
    """The word in the footer; empty if the key is not shown there."""


LEAVE: Final = (
    Key("question_mark", "help", "?", "show the keys, the signs on the board and the names of the pieces", "help"),
    Key("q", "app.leave", "q", "quit", "quit"),
    Key("ctrl+c,ctrl+q", "app.interrupt", "Ctrl-C", "quit at once, with exit code 130"),
)
IN_GAME: Final = (
    Key("right,l", "step(1)", "→ l", "one act forward", "forward"),
    Key("left,h", "step(-1)", "← h", "one act back", "back"),
    Key("down,j", "step(1)", "↓ j", "one act forward, down the list of plies"),
    Key("up,k", "step(-1)", "↑ k", "one act back, up the list of plies"),
    Key("pagedown", "step(10)", "PgDn", "ten acts forward"),
    Key("pageup", "step(-10)", "PgUp", "ten acts back"),
    Key("home", "first", "Home", "to the setup"),
    Key("end", "last", "End", "to the end; from there on, follow a game in progress"),
    Key("g", "ask_ply", "g", "go to a ply; or type its number"),
    Key("a", "attack(1)", "a", "to the next attack", "attack"),
    Key("A", "attack(-1)", "A", "to the previous attack"),
    Key("c", "capture(1)", "c", "to the next capture"),
    Key("C", "capture(-1)", "C", "to the previous capture"),
    Key("space", "play", "space", "play or stop", "play"),
    Key("plus,equals_sign", "faster", "+", "play faster"),
    Key("minus", "slower", "-", "play slower"),
    Key("s", "next_viewer", "s", "the next viewer: red, blue, arbiter, spectator", "seat"),
    Key("r", "view_as('red')", "r", "see what red sees"),
    Key("b", "view_as('blue')", "b", "see what blue sees"),
    Key("o", "view_as('arbiter')", "o", "see what the arbiter sees: all pieces"),
    Key("f", "flip", "f", "turn the board round", "flip"),
    Key("ctrl+down", "scroll(1)", "Ctrl-↓", "scroll down the text below the board"),
    Key("ctrl+up", "scroll(-1)", "Ctrl-↑", "scroll up the text below the board"),
    Key("escape,backspace", "app.to_list", "Esc", "back to the list of games, if there is one"),
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


def make_bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Bind the keys to their actions."""
    return [
        Binding(key.keys, key.action, key.footer, key_display=key.written.split()[0], show=bool(key.footer))
        for key in keys
    ]
