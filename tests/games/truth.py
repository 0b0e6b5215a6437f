"""What is true in a game, whatever its family: who holds what where."""

from arbiter.games.board.play import BoardPlay
from arbiter.games.cards.play import CardPlay


def truth(play):
    """Return every piece on the board, or every card in line and hand: (seat, place) -> rank."""
    return _TRUTHS[type(play)](play)


def _pieces(play):
    names = play.tables.ruleset.board.names
    return {(piece.seat, names[piece.square]): piece.rank for piece in play.position.placed_pieces()}


def _cards(play):
    held = {
        (seat, f"{kind}:{number}"): card
        for seat, side in play.sides.items()
        for kind, cards in (("line", side.line), ("hand", side.hand))
        for number, card in enumerate(cards)
    }
    return {place: card for place, card in held.items() if card}


_TRUTHS = {BoardPlay: _pieces, CardPlay: _cards}
