"""Bots to learn from and to play against.  They import protocol and nothing of the arbiter."""

from typing import Final

from msgspec import Struct


class SampleBot(Struct, frozen=True):
    """A bot that comes with the arbiter: what it is called, the module that runs it, what it does."""

    name: str
    module: str
    description: str


SAMPLE_BOTS: Final[dict[str, SampleBot]] = {
    bot.name: bot
    for bot in (
        SampleBot("random", "sample_bots.random_player", "plays any legal action; the floor every bot must beat"),
        SampleBot("hunter", "sample_bots.hunter", "weighs every move by what it may win, and keeps coming"),
        SampleBot(
            "cards", "sample_bots.cards_player", "made for the card game: looks, counts, keeps its flag in the hand"
        ),
        SampleBot("stdlib", "sample_bots.stdlib_player", "one file, standard library only: the one to copy"),
    )
}
