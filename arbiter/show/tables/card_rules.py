"""What is particular to the card games on the page of a rule set."""

from collections.abc import Mapping
from typing import Final

from arbiter.games.cards.ruleset import CardRuleset
from arbiter.show.tables.sheet import Cell

CARD_ENDINGS: Final = (
    "the flag is taken: its taker wins",
    "a player has no card in its line that can attack when it is to act: it loses",
    "neither player owns a card that can attack: a draw",
)


def card_repetition(ruleset: CardRuleset) -> tuple[Cell, Cell]:
    """Return the two cells on repetition in the list of rule sets: cards know none."""
    return None, None


def card_object(ruleset: CardRuleset) -> Mapping[str, object]:
    """Describe for a program what only a card game has."""
    return {"line": ruleset.line, "hand": ruleset.hand, "deal": ruleset.deal}


def card_sections(ruleset: CardRuleset) -> Mapping[str, list[str]]:
    """Write the sections that only a card game's page has."""
    dealt = f"each is dealt {ruleset.deal} cards of its own deck and lays {ruleset.line} of them face down in a line"
    return {"Deployment": [dealt]}


def card_play(ruleset: CardRuleset) -> list[str]:
    """Write what is particular to how a card game is played."""
    return [
        f"a turn begins with filling the hand to {ruleset.hand} cards from the deck",
        "then one of four: attack with a card of the line that is no bomb and no flag,",
        "  show the spy and look at the opponent's hand, show a scout and look at two cards of his line,",
        "  or show the flag, shuffle line, hand and deck together and set up again, which ends the turn",
        "it ends with filling the gaps of the line from the hand",
        "a fight shows both cards; the winner turns face down again in its own slot",
    ]
