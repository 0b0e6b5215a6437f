"""A person's deployment: the program proposes a random one, and the person changes it."""

from collections.abc import Callable
from typing import Final, Protocol, cast

from msgspec import UNSET

from arbiter.show.person.scene import Scene
from protocol.messages import Rules, ViewPiece
from protocol.words import Deploy, Place, RankId

PROMPT: Final = "two squares to swap, `new` for another deployment, Enter to begin: "
CARDS: Final = "numbers of {slots} cards for your line, left to right, or Enter for the first {slots}: "

Deployment = dict[Place, str]


class Terminal(Protocol):
    """Shows text to a person and reads lines."""

    def show(self, text: str) -> None:
        """Show one or more lines."""
        ...

    def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.  Raises EOFError at the end of the input."""
        ...


def ask_deployment(rules: Rules, scene: Scene, terminal: Terminal, draw: Callable[[], Deployment]) -> Deploy:
    """Let a person deploy; `draw` proposes a deployment.  At the end of the input, the shown deployment is taken."""
    if rules.deploy is UNSET:
        return _ask_cards(rules, scene, terminal)
    squares = rules.deploy[scene.seat]
    pieces = draw()
    _show(pieces, scene, terminal)
    while True:
        match _ask(terminal, PROMPT).lower().replace("-", " ").split():
            case []:
                return Deploy(pieces=pieces)
            case ["new"]:
                pieces = draw()
                _show(pieces, scene, terminal)
            case [one, other] if one in squares and other in squares:
                swapped = {**pieces, one: pieces.get(other), other: pieces.get(one)}
                pieces = {place: rank for place, rank in swapped.items() if rank is not None}
                _show(pieces, scene, terminal)
            case _:
                terminal.show("type `new`, or two of your squares such as: a1 b2")


def _show(pieces: Deployment, scene: Scene, terminal: Terminal) -> None:
    terminal.show(
        scene.draw_pieces([ViewPiece(place, scene.seat, cast("RankId", rank)) for place, rank in pieces.items()])
    )


def _ask(terminal: Terminal, prompt: str) -> str:
    try:
        return terminal.ask(prompt)
    except EOFError:
        return ""


def _ask_cards(rules: Rules, scene: Scene, terminal: Terminal) -> Deploy:
    hand = scene.hand()
    slots = min(len(hand), rules.line if rules.line is not UNSET else len(hand))
    cards = ", ".join(f"{number} {name}" for number, (_, name) in enumerate(hand))
    terminal.show(scene.sentences.write("your_hand", cards=cards))
    while True:
        words = _ask(terminal, CARDS.format(slots=slots)).replace(",", " ").split()
        if not words:
            return Deploy(line=[place for place, _ in hand[:slots]])
        chosen = [int(word) for word in words if word.isdecimal() and int(word) < len(hand)]
        if len(words) == len(chosen) == len(set(chosen)) == slots:
            return Deploy(line=[hand[number][0] for number in chosen])
        example = " ".join(map(str, reversed(range(slots))))
        terminal.show(f"type {slots} different numbers from 0 to {len(hand) - 1}, such as: {example}")
