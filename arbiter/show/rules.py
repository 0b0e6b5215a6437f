"""The rule sets for people: the list of them, and one on a page."""

from collections.abc import Mapping, Sequence

from arbiter.games.board.ruleset import Ruleset
from arbiter.games.ranks import Trait
from arbiter.show.boards import sign
from arbiter.show.names import name
from arbiter.show.sheets import Cell, Sheet
from protocol.words import SEATS, RankId, Seat


def rules_sheet(rulesets: Sequence[Ruleset], lang: str = "en") -> Sheet:
    """Make the sheet that lists rule sets; a program is told all of each.  Raises ConfigError."""
    return Sheet(
        title="Rule sets",
        head=("name", "title", "pieces", "two squares", "more squares", "options"),
        rows=tuple(_row(ruleset) for ruleset in rulesets),
        objects=tuple(rules_object(ruleset, lang) for ruleset in rulesets),
    )


def _row(ruleset: Ruleset) -> tuple[Cell, ...]:
    limits = (ruleset.two_squares or "off", ruleset.more_squares)
    return (ruleset.name, ruleset.title, _pieces(ruleset), *limits, " ".join(ruleset.offers))


def rules_object(ruleset: Ruleset, lang: str = "en") -> Mapping[str, object]:
    """Describe a rule set for a program, the pieces named in a language.  Raises ConfigError."""
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "source": ruleset.source,
        "army": dict(ruleset.army),
        "pieces": _pieces(ruleset),
        "names": {rank: name(rank, lang) for rank in ruleset.army},
        "figures": ruleset.figures,
        "board": {"files": ruleset.board.files, "rows": ruleset.board.rows, "lakes": list(ruleset.board.lakes)},
        "deploy": {seat: [ruleset.board.names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
        "first": ruleset.first,
        "two_squares": ruleset.two_squares,
        "more_squares": ruleset.more_squares,
        "immovable_loses": ruleset.immovable_loses,
        "no_attack_plies": ruleset.no_attack_plies,
        "max_plies": ruleset.max_plies,
        "options": list(ruleset.offers),
        "powers": _powers(ruleset),
        "notes": list(ruleset.notes),
    }


def rules_page(ruleset: Ruleset, lang: str = "en") -> str:
    """Write a rule set as a page of text, the pieces named in a language.  Raises ConfigError."""
    board = ruleset.board
    sections = {
        "Source": [ruleset.source],
        f"Army: {_pieces(ruleset)} pieces": _army(ruleset, lang),
        f"Board: {board.files}x{board.rows}": [f"lakes {' '.join(board.lakes)}" if board.lakes else "no lakes"],
        "Deployment": [f"{seat} on {_rows(ruleset, seat)}" for seat in SEATS],
        "Play": [_begins(ruleset), _immovable(ruleset), _two_squares(ruleset), _more_squares(ruleset)],
        "Options": list(ruleset.offers) or ["none"],
        "Powers": _powers(ruleset) or ["none"],
        "Endings": _endings(ruleset),
        "Notes": list(ruleset.notes),
    }
    pages = [f"{ruleset.title} ({ruleset.name})"]
    pages += ["\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in sections.items() if lines]
    return "\n\n".join(pages)


def _pieces(ruleset: Ruleset) -> int:
    return sum(ruleset.army.values())


def _army(ruleset: Ruleset, lang: str) -> list[str]:
    return [_squad(ruleset, rank.id, lang) for rank in ruleset.ranks if ruleset.army.get(rank.id)]


def _squad(ruleset: Ruleset, rank: RankId, lang: str) -> str:
    figures = [ruleset.figures[seat][rank] for seat in SEATS if rank in ruleset.figures.get(seat, {})]
    called = f" ({' / '.join(dict.fromkeys(figures))})" if figures else ""
    return f"{ruleset.army[rank]} {sign(rank):>2} {name(rank, lang)}{called}"


def _rows(ruleset: Ruleset, seat: Seat) -> str:
    rows = [square // ruleset.board.files + 1 for square in ruleset.deployment(seat)]
    return f"rows {min(rows)} to {max(rows)}"


def _begins(ruleset: Ruleset) -> str:
    return f"{ruleset.first} begins" if ruleset.first else "the lot decides who begins"


def _immovable(ruleset: Ruleset) -> str:
    still = " and ".join(rank.id for rank in ruleset.ranks if rank.has(Trait.IMMOVABLE))
    return f"{still} never move; who moves one {'loses at once' if ruleset.immovable_loses else 'has made an illegal move'}"


def _two_squares(ruleset: Ruleset) -> str:
    limit = ruleset.two_squares
    if not limit:
        return "two squares: no limit"
    return f"two squares: a piece may cross the same border {limit} turns running, and not once more"


def _more_squares(ruleset: Ruleset) -> str:
    scope = {
        "off": "no limit",
        "chase": "a chase may not bring back a position of the chase",
        "game": "a chase may not bring back any earlier position of the game",
    }
    return f"more squares: {scope[ruleset.more_squares]}"


def _powers(ruleset: Ruleset) -> list[str]:
    return sorted({str(power.action.__struct_config__.tag) for power in ruleset.powers})


def _endings(ruleset: Ruleset) -> list[str]:
    limits = {
        "plies without an attack: a draw (the arbiter's own limit)": ruleset.no_attack_plies,
        "plies: a draw (the arbiter's own limit)": ruleset.max_plies,
    }
    return [
        "the flag is taken: its taker wins",
        "a side has no movable piece left: it loses; where neither has one it is a draw",
        "a player has no legal move on its turn: it loses",
        "resignation, or a draw offered and accepted",
        *(f"{limit} {what}" for what, limit in limits.items() if limit),
    ]
