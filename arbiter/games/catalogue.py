"""The one list that makes rule sets exist, and how one is found, changed and started from a position.

What is particular to a family of games stands in its `Family`; here nothing knows a board or a deck.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.base import Game
from arbiter.games.board.family import BOARD_GAMES
from arbiter.games.board.ruleset import Ruleset
from arbiter.games.board.rulesets.barrage import BARRAGE
from arbiter.games.board.rulesets.clone_wars import CLONE_WARS
from arbiter.games.board.rulesets.clone_wars_powers import CLONE_WARS_POWERS
from arbiter.games.board.rulesets.duel import DUEL
from arbiter.games.board.rulesets.infiltrator import INFILTRATOR
from arbiter.games.board.rulesets.original import ORIGINAL
from arbiter.games.board.rulesets.original_2000 import ORIGINAL_2000
from arbiter.games.board.rulesets.us import US
from arbiter.games.cards.card_game import CARD_GAME
from arbiter.games.cards.family import CARD_GAMES
from arbiter.games.cards.ruleset import CardRuleset
from arbiter.games.family import Family, RuleSet
from arbiter.games.overrides import NO_OVERRIDES, Overrides
from protocol.words import Seat

FAMILIES: Final[Mapping[type[RuleSet], Family]] = {Ruleset: BOARD_GAMES, CardRuleset: CARD_GAMES}
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


def find_game(
    name: str,
    options: Iterable[str] = (),
    overrides: Overrides = NO_OVERRIDES,
    position: str | None = None,
    first: Seat | None = None,
) -> Game:
    """Find a rule set by name, with options, overrides, a position to start from and who begins.

    `first` may differ from the rule set's only where a position is given.  Raises ConfigError.
    """
    ruleset = find_ruleset(name)
    family = FAMILIES[type(ruleset)]
    changed = family.override(_with_options(ruleset, options), overrides)
    if position is not None:
        changed = family.with_position(changed, position)
    return family.game(replace(changed, first=_beginner(changed, first, positioned=position is not None)))


def _beginner(ruleset: RuleSet, first: Seat | None, *, positioned: bool) -> Seat | None:
    if first not in (None, ruleset.first) and ruleset.first is not None and not positioned:
        raise ConfigError(
            f"first: in {ruleset.name} {ruleset.first} begins; only a given position may begin with {first}"
        )
    return first or ruleset.first


def find_ruleset(name: str) -> RuleSet:
    """Find a rule set by name.  Raises ConfigError."""
    for ruleset in RULE_SETS:
        if ruleset.name == name:
            return ruleset
    raise unknown("rule set", name, [ruleset.name for ruleset in RULE_SETS])


def _with_options(ruleset: RuleSet, options: Iterable[str]) -> RuleSet:
    """Apply options in the order in which the rule set offers them, whatever the order they are named in."""
    named = list(options)
    for option in named:
        if option not in ruleset.offers:
            raise unknown(f"option of {ruleset.name}", option, ruleset.offers)
        if named.count(option) > 1:
            raise ConfigError(f"option {option!r} is named twice")
    for option in ruleset.offers:
        if option in named:
            changed = ruleset.offers[option](ruleset)
            ruleset = replace(changed, options=(*ruleset.options, option))
    return ruleset


def unknown(what: str, name: str, known: Iterable[str], otherwise: str = "") -> ConfigError:
    """Describe a name that is not known, with what it may have been meant to be, or what would be right otherwise."""
    names = list(known)
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there is {', '.join(names) or 'none'}"
    if otherwise:
        hint += f" If not, {otherwise}" if close else f"; {otherwise}"
    return ConfigError(f"unknown {what} {name!r}: {hint}")
