"""The book of setups: draws one for the own army, and tells where the enemy's ranks like to stand."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

from protocol.bot import Game
from protocol.words import RED, Place, Seat

BOOK: Final = Path(__file__).with_name("setups.txt")
LETTERS: Final = {
    "M": "marshal",
    "9": "general",
    "8": "colonel",
    "7": "major",
    "6": "captain",
    "5": "lieutenant",
    "4": "sergeant",
    "3": "miner",
    "2": "scout",
    "S": "spy",
    "B": "bomb",
    "F": "flag",
}

Setup = list[list[str]]  # the ranks of each row, the back row first


@cache
def read_book() -> list[Setup]:
    """Read all setups of the book."""
    lines = [line for line in BOOK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [_read_drawing(drawing.split()) for drawing in "\n".join(lines).split("\n\n") if drawing.strip()]


def _read_drawing(rows: list[str]) -> Setup:
    return [[LETTERS[letter] for letter in row] for row in reversed(rows)]


def draw_setup(game: Game) -> dict[Place, str] | None:
    """Draw a setup for one's own army, mirrored or not; None where the book has none for it."""
    army, squares = Counter(game.rules.army), set(game.rules.deploy[game.seat])
    setups = [
        pieces
        for pieces in all_setups(game.seat, game.board.rows)
        if pieces.keys() <= squares and Counter(pieces.values()) == army
    ]
    return game.rng.choice(setups) if setups else None


def habits(seat: Seat, rows: int) -> dict[Place, Counter[str]]:
    """Count how often each rank stands on each square of a seat."""
    counts: dict[Place, Counter[str]] = {}
    for pieces in all_setups(seat, rows):
        for place, rank in pieces.items():
            counts.setdefault(place, Counter())[rank] += 1
    return counts


def all_setups(seat: Seat, rows: int) -> list[dict[Place, str]]:
    """Put each setup on the squares of a seat, as it is drawn and mirrored."""
    return [_stand(side, seat, rows) for setup in read_book() for side in (setup, [row[::-1] for row in setup])]


def _stand(setup: Setup, seat: Seat, rows: int) -> dict[Place, str]:
    return {
        f"{chr(ord('a') + file)}{number + 1 if seat == RED else rows - number}": rank
        for number, row in enumerate(setup)
        for file, rank in enumerate(row)
    }
