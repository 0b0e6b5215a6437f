"""The rule sets for people: a list of all, and a page for each."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import RuleSet
from arbiter.show.boards import write_rank
from arbiter.show.names import name_rank
from arbiter.show.tables.sheet import Cell, Sheet
from protocol.words import SEATS, RankId


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
                *_describe_play(ruleset).repetition,
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
        "names": {rank: name_rank(rank, lang) for rank in ruleset.army},
        "figures": ruleset.figures,
        "first": ruleset.first,
        **_describe_play(ruleset).fields,
        "no_attack_plies": ruleset.no_attack_plies,
        "max_plies": ruleset.max_plies,
        "options": list(ruleset.offers),
        "powers": sorted({str(power.action.__struct_config__.tag) for power in ruleset.powers}),
        "rulings": list(ruleset.rulings),
    }


def rules_page(ruleset: RuleSet, lang: str = "en") -> str:
    """Write a rule set as a page of text, with the names of the pieces in a language.  Raises ConfigError."""
    play = _describe_play(ruleset)
    # An option is described by the first line of its function's docstring.
    options = [
        f"{option}: {(change.__doc__ or '').partition(chr(10))[0].rstrip('.')}"
        for option, change in ruleset.offers.items()
    ]
    limits = {play.quiet_plies: ruleset.no_attack_plies, "plies": ruleset.max_plies}
    sections = {
        "Source": [ruleset.source],
        f"Army: {sum(ruleset.army.values())} pieces": [
            _describe_rank(ruleset, rank.id, lang) for rank in ruleset.ranks if ruleset.army.get(rank.id)
        ],
        **play.sections,
        "Play": [
            f"{ruleset.first} moves first" if ruleset.first else "the first player is drawn at random",
            *play.play,
        ],
        "Options": options or ["none"],
        "Powers": [power.about for power in ruleset.powers if power.about] or ["none"],
        "Endings": [
            *play.endings,
            "resignation, or a draw offered and accepted",
            *(f"{limit} {what}: a draw (the arbiter's own limit)" for what, limit in limits.items() if limit),
        ],
        "Rulings": list(ruleset.rulings),
    }
    pages = [f"{ruleset.title} ({ruleset.name})"]
    pages += ["\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in sections.items() if lines]
    return "\n\n".join(pages)


def _describe_rank(ruleset: RuleSet, rank: RankId, lang: str) -> str:
    figures = [ruleset.figures[seat][rank] for seat in SEATS if rank in ruleset.figures.get(seat, {})]
    printed = f" ({' / '.join(dict.fromkeys(figures))})" if figures else ""
    return f"{ruleset.army[rank]} {write_rank(rank):>2} {name_rank(rank, lang)}{printed}"


# --- board games and card games -----------------------------------------------------------------------


class _Play(Struct, frozen=True):
    """The parts of a description that differ between board games and card games."""

    repetition: tuple[Cell, Cell]
    """The cells on the two repetition rules in the list of rule sets."""
    fields: Mapping[str, object]
    """Fields of the JSON object."""
    sections: Mapping[str, list[str]]
    """Sections of the page before `play`."""
    play: list[str]
    endings: list[str]
    quiet_plies: str
    """The plies that the no-attack limit counts."""


def _describe_play(ruleset: RuleSet) -> _Play:
    if isinstance(ruleset, BoardRules):
        return _describe_board_game(ruleset)
    if isinstance(ruleset, CardRules):
        return _describe_card_game(ruleset)
    raise TypeError(f"{ruleset.name} is neither a board game nor a card game")


def _describe_board_game(ruleset: BoardRules) -> _Play:
    board = ruleset.board
    rows = {seat: [square // board.files + 1 for square in ruleset.deployment(seat)] for seat in SEATS}
    immovable = " and ".join(rank.id for rank in ruleset.ranks if rank.has(Trait.IMMOVABLE))
    limit = ruleset.two_squares
    scope = {
        "off": "no limit",
        "chase": "a chase may not bring back a position of the chase",
        "game": "a chase may not bring back any earlier position of the game",
        "book": "a chase may not bring back any earlier position of the game, not even by a move straight back",
    }
    return _Play(
        repetition=(limit or "off", ruleset.more_squares),
        fields={
            "board": {"files": board.files, "rows": board.rows, "lakes": list(board.lakes)},
            "deploy": {seat: [board.names[square] for square in ruleset.deployment(seat)] for seat in SEATS},
            "two_squares": limit,
            "more_squares": ruleset.more_squares,
            "immovable_loses": ruleset.immovable_loses,
        },
        sections={
            f"Board: {board.files}x{board.rows}": [f"lakes {' '.join(board.lakes)}" if board.lakes else "no lakes"],
            "Deployment": [f"{seat} on rows {min(rows[seat])} to {max(rows[seat])}" for seat in SEATS],
        },
        play=[
            f"{immovable} never move; moving one {'loses at once' if ruleset.immovable_loses else 'is an illegal move'}",
            f"two squares: a piece may cross the same border in {limit} turns in a row, but not in the next one"
            if limit
            else "two squares: no limit",
            f"more squares: {scope[ruleset.more_squares]}",
        ],
        endings=[
            "the flag is taken: the player that took it wins",
            "a side has no movable piece left: it loses; if neither side has one, the game is a draw",
            "a player has no legal move on its turn: it loses",
        ],
        quiet_plies="plies without an attack",
    )


def _describe_card_game(ruleset: CardRules) -> _Play:
    dealt = f"each player is dealt {ruleset.deal} cards of its own deck and lays {ruleset.line} of them in a line, face down"
    return _Play(
        repetition=(None, None),
        fields={"line": ruleset.line, "hand": ruleset.hand, "deal": ruleset.deal},
        sections={"Deployment": [dealt]},
        play=[
            f"a turn begins with filling the hand to {ruleset.hand} cards from the deck",
            "then one of four: attack with a card of the line that is neither a bomb nor the flag,",
            "  show the spy and look at the opponent's hand, show a scout and look at two cards of the opponent's line,",
            "  or show the flag, shuffle line, hand and deck together and deploy again, which ends the turn",
            "it ends with filling the gaps of the line from the hand",
            "a fight shows both cards; the winner is turned face down again in its own slot",
        ],
        endings=[
            "the flag is taken: the player that took it wins",
            "a player has no card in its line that can attack when it is to act: it loses",
            "neither player owns a card that can attack: a draw",
        ],
        quiet_plies="turns without a card removed",
    )
