"""The book of deployments: draws one for your army, and counts how often each rank is on each square."""

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

Drawing = list[list[str]]  # the ranks of each row, the back row first


@cache
def read_book() -> list[Drawing]:
    """Read all deployments of the book."""
    lines = [line for line in BOOK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [
        [[LETTERS[letter] for letter in row] for row in reversed(drawing.split())]
        for drawing in "\n".join(lines).split("\n\n")
        if drawing.strip()
    ]


def draw_deployment(game: Game) -> dict[Place, str] | None:
    """Draw a random deployment for the player's army, mirrored or not; None if the book has none for this army."""
    army = Counter(game.rules.army)
    squares = set(game.rules.deploy[game.seat])
    deployments = [
        pieces
        for pieces in list_deployments(game.seat, game.board.rows)
        if pieces.keys() <= squares and Counter(pieces.values()) == army
    ]
    return game.rng.choice(deployments) if deployments else None


def count_ranks(seat: Seat, rows: int) -> dict[Place, Counter[str]]:
    """Count how often each rank is on each square of a seat."""
    counts: dict[Place, Counter[str]] = {}
    for pieces in list_deployments(seat, rows):
        for place, rank in pieces.items():
            counts.setdefault(place, Counter())[rank] += 1
    return counts


def list_deployments(seat: Seat, rows: int) -> list[dict[Place, str]]:
    """Return each deployment of the book on the squares of a seat, as drawn and mirrored."""
    return [
        {
            f"{chr(ord('a') + file)}{number + 1 if seat == RED else rows - number}": rank
            for number, row in enumerate(drawing)
            for file, rank in enumerate(row)
        }
        for original in read_book()
        for drawing in (original, [row[::-1] for row in original])
    ]
