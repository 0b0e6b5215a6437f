"""The rule sets as a list, and all details of each as JSON."""

from collections.abc import Mapping, Sequence

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.ruleset import RuleSet
from arbiter.show.language import name_rank
from arbiter.show.tables.sheet import Cell, Sheet
from protocol.words import SEATS


def rules_sheet(rulesets: Sequence[RuleSet], lang: str = "en") -> Sheet:
    """Make the sheet that lists rule sets; as JSON it has all details of each.  Raises ConfigError."""
    return Sheet(
        title="Rule sets",
        head=("name", "title", "pieces", "two squares", "more squares", "options"),
        rows=tuple(
            (
                ruleset.name,
                ruleset.title,
                sum(ruleset.army.values()),
                *_list_repetition_rules(ruleset),
                " ".join(ruleset.offers),
            )
            for ruleset in rulesets
        ),
        objects=tuple(rules_object(ruleset, lang) for ruleset in rulesets),
    )


def rules_object(ruleset: RuleSet, lang: str = "en") -> Mapping[str, object]:
    """Describe a rule set as a JSON object, with the names of the pieces in a language.  Raises ConfigError."""
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "source": ruleset.source,
        "army": dict(ruleset.army),
        "pieces": sum(ruleset.army.values()),
        "names": {rank: name_rank(ruleset, rank, lang) for rank in ruleset.army},
        "figures": ruleset.figures,
        "first": ruleset.first,
        **_list_details(ruleset),
        "no_attack_plies": ruleset.no_attack_plies,
        "max_plies": ruleset.max_plies,
        "options": list(ruleset.offers),
        "powers": sorted({str(power.action.__struct_config__.tag) for power in ruleset.powers}),
        "rulings": list(ruleset.rulings),
    }


def _list_repetition_rules(ruleset: RuleSet) -> tuple[Cell, Cell]:
    return (ruleset.two_squares or "off", ruleset.more_squares) if isinstance(ruleset, BoardRules) else (None, None)


def _list_details(ruleset: RuleSet) -> Mapping[str, object]:
    """Return the fields that only board games, or only card games have."""
    if isinstance(ruleset, CardRules):
        return {"line": ruleset.line, "hand": ruleset.hand, "deal": ruleset.deal}
    if isinstance(ruleset, BoardRules):
        board = ruleset.board
        return {
            "board": {"files": board.files, "rows": board.rows, "lakes": list(board.lakes)},
            "deploy": {seat: [board.names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
            "two_squares": ruleset.two_squares,
            "more_squares": ruleset.more_squares,
            "immovable_loses": ruleset.immovable_loses,
        }
    raise TypeError(f"{ruleset.name} is neither a board game nor a card game")
