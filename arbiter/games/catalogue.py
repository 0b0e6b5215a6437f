"""All rule sets: those of the files in `board/rulesets`, the card game, and those that a program registers."""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from msgspec.structs import replace

from arbiter.errors import unknown_name
from arbiter.games.board import rulesets
from arbiter.games.cards.ruleset import CARD_GAME
from arbiter.games.ranks import add_ranks
from arbiter.games.ruleset import NO_OVERRIDES, Overrides, RuleSet
from protocol.messages import Rules
from protocol.words import Seat

_FIRST: Final = (
    "original",
    "original-2000",
    "isf",
    "us",
    "duel",
    "barrage",
    "infiltrator",
    "clone-wars",
    "clone-wars-powers",
)
"""The first rule sets in lists; others follow by name."""
RULE_SETS: Final[list[RuleSet]] = []


def register(ruleset: RuleSet) -> None:
    """Add a rule set and its ranks.  Raises ValueError if its name, or the sign or letter of a new rank is in use."""
    if any(other.name == ruleset.name for other in RULE_SETS):
        raise ValueError(f"there is a rule set {ruleset.name!r} already")
    add_ranks(ruleset.ranks)
    RULE_SETS.append(ruleset)


_modules = [import_module(f"{rulesets.__name__}.{file.name}") for file in iter_modules(rulesets.__path__)]
_found = {value.name: value for module in _modules for value in vars(module).values() if isinstance(value, RuleSet)}
for _name in (*_FIRST, *sorted(_found.keys() - set(_FIRST))):
    register(_found[_name])
register(CARD_GAME)


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

    Default of `first`: that of the position, or of the rule set.  Raises ConfigError.
    """
    ruleset = find_ruleset(name).with_options(options).with_overrides(overrides)
    if position is not None:
        ruleset = ruleset.at_position(position)
    return replace(ruleset, first=first or ruleset.first)


def find_described(rules: Rules) -> RuleSet:
    """Find the rules of a game as a player receives them.  Raises ConfigError."""
    return find_game(rules.id, rules.options, find_overrides(rules), first=rules.first)


def find_overrides(rules: Rules) -> Overrides:
    """Return the settings of a game as a player receives its rules."""
    return Overrides(
        army={str(rank.id): rules.army.get(rank.id, 0) for rank in rules.ranks},
        two_squares=rules.two_squares,
        more_squares=rules.more_squares,
        no_attack_plies=rules.no_attack_plies,
        max_plies=rules.max_plies,
    )
