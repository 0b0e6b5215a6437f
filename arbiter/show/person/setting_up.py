"""How a person sets up: he is shown a setup drawn by lot, and changes it until he likes it."""

from collections.abc import Callable
from typing import Final, cast

from msgspec import UNSET

from arbiter.show.person.scene import Scene
from arbiter.show.person.terminal import Terminal
from protocol.messages import Rules, ViewPiece
from protocol.words import Deploy, Place, RankId

PROMPT: Final = "two squares to swap, `new` for another, Enter to begin: "
CARDS: Final = "numbers of {slots} cards for your line, left to right, or Enter for the first {slots}: "

Deployment = dict[Place, str]


def set_up(rules: Rules, scene: Scene, terminal: Terminal, draw: Callable[[], Deployment]) -> Deploy:
    """Let a person deploy; `draw` proposes a setup.  Where nothing more is typed, what is shown is taken."""
    if rules.deploy is UNSET:
        return _lay_cards(rules, scene, terminal)
    squares = rules.deploy[scene.seat]
    pieces = _shown(draw(), scene, terminal)
    while True:
        match _ask(terminal, PROMPT).lower().replace("-", " ").split():
            case []:
                return Deploy(pieces=pieces)
            case ["new"]:
                pieces = _shown(draw(), scene, terminal)
            case [one, other] if one in squares and other in squares:
                pieces = _shown(_swapped(pieces, one, other), scene, terminal)
            case _:
                terminal.say("that is neither `new` nor two of your squares, as in: a1 b2")


def _shown(pieces: Deployment, scene: Scene, terminal: Terminal) -> Deployment:
    terminal.say(scene.draw([ViewPiece(place, scene.seat, cast("RankId", rank)) for place, rank in pieces.items()]))
    return pieces


def _ask(terminal: Terminal, prompt: str) -> str:
    try:
        return terminal.ask(prompt)
    except EOFError:
        return ""


def _swapped(pieces: Deployment, one: Place, other: Place) -> Deployment:
    changed = {one: pieces.get(other), other: pieces.get(one)}
    return {place: rank for place, rank in {**pieces, **changed}.items() if rank is not None}


def _lay_cards(rules: Rules, scene: Scene, terminal: Terminal) -> Deploy:
    hand = scene.hand()
    slots = min(len(hand), rules.line if rules.line is not UNSET else len(hand))
    terminal.say("your hand: " + ", ".join(f"{number} {name}" for number, (_, name) in enumerate(hand)))
    while True:
        said = _ask(terminal, CARDS.format(slots=slots)).replace(",", " ").split()
        if not said:
            return Deploy(line=[place for place, _ in hand[:slots]])
        chosen = [int(word) for word in said if word.isdecimal() and int(word) < len(hand)]
        if len(said) == len(chosen) == len(set(chosen)) == slots:
            return Deploy(line=[hand[number][0] for number in chosen])
        terminal.say(f"type {slots} different numbers from 0 to {len(hand) - 1}, as in: {_example(slots)}")


def _example(slots: int) -> str:
    return " ".join(str(number) for number in reversed(range(slots)))
