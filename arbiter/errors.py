"""The failures that are somebody's, one type each; anything else is a bug of ours.

`protocol.codec.ProtocolError` is the fourth: what was sent is not in the protocol.
"""

from typing import Literal

Rule = Literal["two_squares", "more_squares", "movement", "immovable", "deployment", "turn", "power"]
IllegalEnding = Literal["illegal_action", "immovable_moved", "illegal_setup"]


class ConfigError(Exception):
    """The operator must mend something; the text is one line that names it and what would be right."""


class IllegalAction(Exception):
    """The rules forbid an action; nothing has changed.

    The text is for the author and may name the author's own pieces; `rule` says which rule refused,
    `ending` how the game is lost by it, `final` whether it loses even where another try is allowed.
    """

    def __init__(self, rule: Rule, why: str, *, ending: IllegalEnding = "illegal_action", final: bool = False) -> None:
        super().__init__(why)
        self.rule: Rule = rule
        self.ending: IllegalEnding = ending
        self.final = final
