"""The vocabulary of the engineers: in the project it would be part of `protocol/words.py`."""

from protocol.words import Action, Fact, Place, extend


class Disarm(Action, frozen=True, tag="disarm"):
    """Examine the piece on `dst`; a bomb leaves the game."""

    notation = "{src} disarms {dst}"

    src: Place
    dst: Place


class Disarmed(Fact, frozen=True, tag="disarmed"):
    """The seat's engineer on `src` examined `dst`."""

    is_attack = True

    src: Place
    dst: Place


extend(ranks=["engineer"], actions=[Disarm], facts=[Disarmed])
