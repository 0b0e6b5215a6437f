"""A card game as the referee sees it: start it, describe it."""

from msgspec.structs import replace

from arbiter.games.base import Chance
from arbiter.games.cards.play import CardPlay
from arbiter.games.cards.ruleset import CardRuleset
from arbiter.games.family import terms
from arbiter.games.fights import decide, show_both
from arbiter.games.ranks import Trait
from protocol.messages import Rules
from protocol.words import Seat


class CardGame:
    """A rule set of the card family, ready to be played."""

    def __init__(self, ruleset: CardRuleset) -> None:
        self.ruleset = ruleset
        self.name = ruleset.name
        self._fights = {
            (attacker.id, defender.id): decide(ruleset.fights, show_both, attacker, defender).verdict
            for attacker in ruleset.ranks
            if not attacker.has(Trait.IMMOVABLE)
            for defender in ruleset.ranks
        }

    def start(self, chance: Chance) -> CardPlay:
        """Begin a game."""
        return CardPlay(self.ruleset, self._fights, chance)

    def terms(self, first: Seat) -> Rules:
        """Describe the rules as a bot is told them in `start`."""
        ruleset = self.ruleset
        return replace(terms(ruleset, first), line=ruleset.line, hand=ruleset.hand, deal=ruleset.deal)
