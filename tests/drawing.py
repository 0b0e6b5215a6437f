"""Positions of the 10x10 board drawn as text, and games played on them move by move.

A drawing has one line for each row with a piece, with its number first.  A square is `..`, `~~` (lake)
or the letter of a seat and a piece: `r5`, `bM` (marshal), `rB` (bomb), `bF` (flag), `rI` (infiltrator),
`rR` (marksman), `rZ` (berserker).
"""

from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from protocol.words import Move

FILES = "abcdefghij"
SQUARES = tuple(f"{file}{row}" for row in range(1, 11) for file in FILES)
LAKES = frozenset({"c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6"})
PIECES = {
    "1": "spy",
    "2": "scout",
    "3": "miner",
    "4": "sergeant",
    "5": "lieutenant",
    "6": "captain",
    "7": "major",
    "8": "colonel",
    "9": "general",
    "M": "marshal",
    "B": "bomb",
    "F": "flag",
    "I": "infiltrator",
    "R": "marksman",
    "Z": "berserker",
}
SEATS = {"r": "red", "b": "blue"}
_PIECE_OF_RANK = {rank: piece for piece, rank in PIECES.items()}
# The notation of the public game archives, written independently of the table in the rules.
_ARCHIVE = {
    "r": dict(zip("B123456789MFIRZ", "BCDEFGHIJKLM135", strict=True)),
    "b": dict(zip("B123456789MFIRZ", "NOPQRSTUVWXY246", strict=True)),
}


def pieces_of(drawing):
    """Read a drawing: square -> (seat, rank)."""
    found = {}
    for line in drawing.strip().splitlines():
        row, *cells = line.split()
        assert len(cells) == len(FILES), f"a row has ten squares: {line!r}"
        for square, cell in zip((file + row for file in FILES), cells, strict=True):
            assert (cell == "~~") == (square in LAKES), f"{square} is drawn as {cell!r}"
            if cell not in ("..", "~~"):
                found[square] = SEATS[cell[0]], PIECES[cell[1]]
    return found


def letters_of(drawing):
    """Write a drawing as the hundred letters of a position."""
    pieces = pieces_of(drawing)
    return "".join("_" if square in LAKES else _letter(pieces.get(square)) for square in SQUARES)


def _letter(piece):
    if piece is None:
        return "a"
    seat, rank = piece
    return _ARCHIVE[seat[0]][_PIECE_OF_RANK[rank]]


def draw(pieces):
    """Draw pieces (square -> (seat, rank)), highest row first, without empty rows."""
    rows = [row for row in range(10, 0, -1) if any(f"{file}{row}" in pieces for file in FILES)]
    return "\n".join(f"{row:2} " + " ".join(_cell(f"{file}{row}", pieces) for file in FILES) for row in rows)


def _cell(square, pieces):
    if square in LAKES:
        return "~~"
    seat, rank = pieces.get(square, (None, None))
    return f"{seat[0]}{_PIECE_OF_RANK[rank]}" if seat else ".."


def tidy(drawing):
    """Bring a drawing into the form that `drawn` gives."""
    return draw(pieces_of(drawing))


def drawn(play):
    """Draw the pieces of a play."""
    names = play.tables.ruleset.board.names
    return draw({names[piece.square]: (piece.seat, piece.rank) for piece in play.position.placed_pieces()})


def start(drawing, rules="original", *, first="red", options=(), **overrides):
    """Start a game from a drawing, with options, and overrides by name."""
    game = find_game(rules, options, Overrides(**overrides), position=letters_of(drawing), first=first)
    return game.start(SeededChance(0))


def moves_of(text):
    """Read moves (`a6-b6`) and attacks (`a6xb6`): (move, True if it attacks)."""
    words = text.split()
    return [(Move(*word.replace("x", "-").split("-")), "x" in word) for word in words]


def play_on(play, text):
    """Play moves by turns, check that exactly the moves with an `x` attack, and return the facts of each."""
    facts_by_move = []
    for move, attacks in moves_of(text):
        (seat,) = play.to_act
        facts_by_move.append(play.act(seat, move))
        fact = type(facts_by_move[-1][0].fact).__name__
        assert fact == ("Attacked" if attacks else "Moved"), f"{move} became {fact}\n{drawn(play)}"
    return facts_by_move


def facts(addressed):
    """Return facts without the seats that may know them."""
    return [one.fact for one in addressed]


def probe(play, text):
    """Return the rule that refuses a move of the seat on turn, or None; `legal_actions` must agree with `act`."""
    ((move, _),) = moves_of(text)
    (seat,) = play.to_act
    listed = move in play.legal_actions(seat)
    try:
        play.copy().act(seat, move)
    except IllegalAction as refused:
        rule = refused.rule
    else:
        rule = None
    assert listed == (rule is None), f"{text} is {'' if listed else 'not '}listed, act says {rule}\n{drawn(play)}"
    return rule


def legal_texts(play):
    """List the legal moves of the seat on turn as `a6-b6`, sorted."""
    (seat,) = play.to_act
    return sorted(f"{move.src}-{move.dst}" for move in play.legal_actions(seat))
