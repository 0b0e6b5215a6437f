"""The rule sets as a list, and all details of each as JSON."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.ruleset import RuleSet
from arbiter.show.language import name_rank
from arbiter.show.rules_page import list_rulings, list_sources, name_rules
from arbiter.show.tables.sheet import Column, Sheet
from protocol.words import SEATS

_RULES: Final[tuple[Column[RuleSet], ...]] = (
    Column("name", align="left"),
    Column("title", align="left"),
    Column("pieces", value=lambda one: sum(one.army.values())),
    Column(
        "two_squares",
        "two squares",
        value=lambda one: (one.two_squares or "off") if isinstance(one, BoardRules) else None,
    ),
    Column("more_squares", "more squares", value=lambda one: getattr(one, "more_squares", None), align="left"),
    Column("options", value=lambda one: " ".join(one.offers), align="left"),
)


def rules_sheet(rulesets: Sequence[RuleSet], lang: str = "en") -> Sheet:
    """Make the sheet that lists rule sets; as JSON it has all details of each.  Raises ConfigError."""
    titled = [replace(ruleset, title=name_rules(ruleset, lang)) for ruleset in rulesets]
    return Sheet(title="Rule sets", columns=_RULES, items=titled, data=[rules_object(one, lang) for one in rulesets])


def rules_object(ruleset: RuleSet, lang: str = "en") -> Mapping[str, object]:
    """Describe a rule set as a JSON object, with all texts in a language.  Raises ConfigError."""
    details: Mapping[str, object]  # that only board games, or only card games have
    if isinstance(ruleset, CardRules):
        details = {"line": ruleset.line, "hand": ruleset.hand, "deal": ruleset.deal}
    elif isinstance(ruleset, BoardRules):
        board = ruleset.board
        details = {
            "board": {"files": board.files, "rows": board.rows, "lakes": list(board.lakes)},
            "deploy": {seat: [board.names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
            "two_squares": ruleset.two_squares,
            "more_squares": ruleset.more_squares,
            "immovable_loses": ruleset.immovable_loses,
        }
    else:
        raise TypeError(f"{ruleset.name} is neither a board game nor a card game")
    return {
        "name": ruleset.name,
        "title": name_rules(ruleset, lang),
        "source": " ".join(list_sources(ruleset, lang)),
        "army": dict(ruleset.army),
        "pieces": sum(ruleset.army.values()),
        "names": {rank: name_rank(ruleset, rank, lang) for rank in ruleset.army},
        "figures": ruleset.figures,
        "first": ruleset.first,
        **details,
        "no_attack_plies": ruleset.no_attack_plies,
        "max_plies": ruleset.max_plies,
        "options": list(ruleset.offers),
        "selected": list(ruleset.options),
        "powers": sorted({str(power.action.__struct_config__.tag) for power in ruleset.powers}),
        "rulings": list_rulings(ruleset, lang),
    }
