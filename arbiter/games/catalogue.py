"""The list of all rule sets."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from arbiter.errors import ConfigError, unknown_name
from arbiter.games.board.rulesets.barrage import BARRAGE
from arbiter.games.board.rulesets.clone_wars import CLONE_WARS
from arbiter.games.board.rulesets.clone_wars_powers import CLONE_WARS_POWERS
from arbiter.games.board.rulesets.duel import DUEL
from arbiter.games.board.rulesets.infiltrator import INFILTRATOR
from arbiter.games.board.rulesets.original import ORIGINAL
from arbiter.games.board.rulesets.original_2000 import ORIGINAL_2000
from arbiter.games.board.rulesets.us import US
from arbiter.games.cards.card_game import CARD_GAME
from arbiter.games.ruleset import NO_OVERRIDES, Overrides, RuleSet
from protocol.words import Seat

RULE_SETS: Final[tuple[RuleSet, ...]] = (
    ORIGINAL,
    ORIGINAL_2000,
    US,
    DUEL,
    BARRAGE,
    INFILTRATOR,
    CLONE_WARS,
    CLONE_WARS_POWERS,
    CARD_GAME,
)


def find_ruleset(name: str) -> RuleSet:
    """Find a rule set by name.  Raises ConfigError."""
    for ruleset in RULE_SETS:
        if ruleset.name == name:
            return ruleset
    raise unknown_name("rule set", name, [ruleset.name for ruleset in RULE_SETS])


def find_game(
    name: str,
    options: Iterable[str] = (),
    overrides: Overrides = NO_OVERRIDES,
    position: str | None = None,
    first: Seat | None = None,
) -> RuleSet:
    """Find a rule set by name and apply options, overrides, a starting position and the seat that moves first.

    Only a game from a position may begin with another seat than the rule set does.  Raises ConfigError.
    """
    ruleset = find_ruleset(name).with_options(options).with_overrides(overrides)
    if position is not None:
        ruleset = ruleset.at_position(position)
    elif None not in (first, ruleset.first) and first != ruleset.first:
        raise ConfigError(
            f"first: in {name} {ruleset.first} moves first; {first} may do so only in a game from a position"
        )
    return replace(ruleset, first=first or ruleset.first)
