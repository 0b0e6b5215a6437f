"""The rule sets for people: the list of them, and one on a page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from arbiter.games.board.ruleset import Ruleset
from arbiter.games.cards.ruleset import CardRuleset
from arbiter.games.family import RuleSet
from arbiter.show.boards import sign
from arbiter.show.names import name
from arbiter.show.tables.board_rules import BOARD_ENDINGS, board_object, board_play, board_repetition, board_sections
from arbiter.show.tables.card_rules import CARD_ENDINGS, card_object, card_play, card_repetition, card_sections
from arbiter.show.tables.sheet import Cell, Sheet
from protocol.words import SEATS, RankId


class _Particulars(Struct, frozen=True):
    """What is said of the rule sets of one family.

    `repetition` are two cells of the list, `told` what a program is told, `sections` come first on the page,
    then `play` and `endings`; `quiet` are the plies that the draw limit counts.
    """

    repetition: Callable[[Any], tuple[Cell, Cell]]
    told: Callable[[Any], Mapping[str, object]]
    sections: Callable[[Any], Mapping[str, list[str]]]
    play: Callable[[Any], list[str]]
    endings: tuple[str, ...]
    quiet: str


_PARTICULARS: Final[Mapping[type[RuleSet], _Particulars]] = {
    Ruleset: _Particulars(
        board_repetition, board_object, board_sections, board_play, BOARD_ENDINGS, "plies without an attack"
    ),
    CardRuleset: _Particulars(
        card_repetition, card_object, card_sections, card_play, CARD_ENDINGS, "turns without a card removed"
    ),
}


def rules_sheet(rulesets: Sequence[RuleSet], lang: str = "en") -> Sheet:
    """Make the sheet that lists rule sets; a program is told all of each.  Raises ConfigError."""
    return Sheet(
        title="Rule sets",
        head=("name", "title", "pieces", "two squares", "more squares", "options"),
        rows=tuple(_row(ruleset) for ruleset in rulesets),
        objects=tuple(rules_object(ruleset, lang) for ruleset in rulesets),
    )


def _row(ruleset: RuleSet) -> tuple[Cell, ...]:
    repetition = _PARTICULARS[type(ruleset)].repetition(ruleset)
    return (ruleset.name, ruleset.title, _pieces(ruleset), *repetition, " ".join(ruleset.offers))


def rules_object(ruleset: RuleSet, lang: str = "en") -> Mapping[str, object]:
    """Describe a rule set for a program, the pieces named in a language.  Raises ConfigError."""
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "source": ruleset.source,
        "army": dict(ruleset.army),
        "pieces": _pieces(ruleset),
        "names": {rank: name(rank, lang) for rank in ruleset.army},
        "figures": ruleset.figures,
        "first": ruleset.first,
        **_PARTICULARS[type(ruleset)].told(ruleset),
        "no_attack_plies": ruleset.no_attack_plies,
        "max_plies": ruleset.max_plies,
        "options": list(ruleset.offers),
        "powers": sorted({str(power.action.__struct_config__.tag) for power in ruleset.powers}),
        "rulings": list(ruleset.rulings),
    }


def rules_page(ruleset: RuleSet, lang: str = "en") -> str:
    """Write a rule set as a page of text, the pieces named in a language.  Raises ConfigError."""
    particular = _PARTICULARS[type(ruleset)]
    sections = {
        "Source": [ruleset.source],
        f"Army: {_pieces(ruleset)} pieces": _army(ruleset, lang),
        **particular.sections(ruleset),
        "Play": [_begins(ruleset), *particular.play(ruleset)],
        "Options": _options(ruleset) or ["none"],
        "Powers": [power.about for power in ruleset.powers if power.about] or ["none"],
        "Endings": [*particular.endings, "resignation, or a draw offered and accepted", *_draw_limits(ruleset)],
        "Rulings": list(ruleset.rulings),
    }
    pages = [f"{ruleset.title} ({ruleset.name})"]
    pages += ["\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in sections.items() if lines]
    return "\n\n".join(pages)


def _pieces(ruleset: RuleSet) -> int:
    return sum(ruleset.army.values())


def _army(ruleset: RuleSet, lang: str) -> list[str]:
    return [_squad(ruleset, rank.id, lang) for rank in ruleset.ranks if ruleset.army.get(rank.id)]


def _squad(ruleset: RuleSet, rank: RankId, lang: str) -> str:
    figures = [ruleset.figures[seat][rank] for seat in SEATS if rank in ruleset.figures.get(seat, {})]
    called = f" ({' / '.join(dict.fromkeys(figures))})" if figures else ""
    return f"{ruleset.army[rank]} {sign(rank):>2} {name(rank, lang)}{called}"


def _begins(ruleset: RuleSet) -> str:
    return f"{ruleset.first} begins" if ruleset.first else "the lot decides who begins"


def _options(ruleset: RuleSet) -> list[str]:
    return [f"{option}: {_first_line(change)}" for option, change in ruleset.offers.items()]


def _first_line(change: Callable[..., object]) -> str:
    return (change.__doc__ or "").split("\n", maxsplit=1)[0].rstrip(".")


def _draw_limits(ruleset: RuleSet) -> list[str]:
    limits = {
        _PARTICULARS[type(ruleset)].quiet: ruleset.no_attack_plies,
        "plies": ruleset.max_plies,
    }
    return [f"{limit} {what}: a draw (the arbiter's own limit)" for what, limit in limits.items() if limit]
