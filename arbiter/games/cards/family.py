"""The card games as a family."""

from typing import Final

from arbiter.games.cards.game import CardGame
from arbiter.games.cards.ruleset import override, with_position
from arbiter.games.family import Family

CARD_GAMES: Final = Family(override, with_position, CardGame)
