"""The keys, in one list: what is bound, what stands in the footer, what the help tells."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from textual.binding import Binding, BindingType


class Key(Struct, frozen=True):
    """A key or several (`left,h`), the action that it is bound to, how it is written, and what it does.

    `footer` is its word in the footer, empty where there is no room for it.
    """

    keys: str
    action: str
    written: str
    does: str
    footer: str = ""


LEAVE: Final = (
    Key("question_mark", "help", "?", "these keys, the signs on the board and the names of the pieces", "help"),
    Key("q", "app.leave", "q", "leave", "quit"),
    Key("ctrl+c,ctrl+q", "app.interrupt", "Ctrl-C", "leave at once, with exit code 130"),
)
IN_GAME: Final = (
    Key("right,l", "step(1)", "→ l", "one act forth", "forth"),
    Key("left,h", "step(-1)", "← h", "one act back", "back"),
    Key("down,j", "step(1)", "↓ j", "one act forth, as in the list of plies"),
    Key("up,k", "step(-1)", "↑ k", "one act back"),
    Key("pagedown", "step(10)", "PgDn", "ten acts forth"),
    Key("pageup", "step(-10)", "PgUp", "ten acts back"),
    Key("home", "first", "Home", "to the setup"),
    Key("end", "last", "End", "to the end; there a game under way is followed"),
    Key("g", "ask_ply", "g", "go to a ply; a digit begins its number"),
    Key("a", "attack(1)", "a", "to the next attack", "attack"),
    Key("A", "attack(-1)", "A", "to the attack before"),
    Key("c", "capture(1)", "c", "to the next capture"),
    Key("C", "capture(-1)", "C", "to the capture before"),
    Key("space", "play", "space", "play, or stop", "play"),
    Key("plus,equals_sign", "faster", "+", "play, faster"),
    Key("minus", "slower", "-", "play, slower"),
    Key("s", "switch_seat", "s", "take the next seat: red, blue, arbiter, spectator", "seat"),
    Key("r", "seat('red')", "r", "red's seat"),
    Key("b", "seat('blue')", "b", "blue's seat"),
    Key("o", "seat('arbiter')", "o", "the arbiter's seat: all pieces open"),
    Key("f", "flip", "f", "turn the board", "flip"),
    Key("ctrl+down", "scroll(1)", "Ctrl-↓", "more of the text beneath the board"),
    Key("ctrl+up", "scroll(-1)", "Ctrl-↑", "less of it"),
    Key("escape,backspace", "app.to_list", "Esc", "back to the list of games, where there is one"),
    *LEAVE,
)
IN_LIST: Final = (
    Key("enter,right", "open", "Enter →", "watch the game", "watch"),
    Key("down,j", "move(1)", "↓ j", "the next game"),
    Key("up,k", "move(-1)", "↑ k", "the game before"),
    Key("pagedown", "page(1)", "PgDn", "a page down"),
    Key("pageup", "page(-1)", "PgUp", "a page up"),
    Key("home,g", "edge(-1)", "Home", "the first game"),
    Key("end,G", "edge(1)", "End", "the last game"),
    Key("slash", "filter", "/", "only games that hold all words: hunter timeout red:mine round:2", "filter"),
    Key("escape", "clear", "Esc", "show all games again"),
    Key("f", "follow", "f", "follow: each game while it is played, or when finished; f stops", "follow"),
    *LEAVE,
)


def bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Bind keys to their actions."""
    return [
        Binding(key.keys, key.action, key.footer, key_display=key.written.split()[0], show=bool(key.footer))
        for key in keys
    ]
