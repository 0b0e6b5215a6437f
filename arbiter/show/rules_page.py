"""The page of a rule set: complete enough to play by it without knowing the game."""

import inspect
import textwrap
from collections.abc import Mapping
from typing import Final

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.fights import attacker_prevails, keep_defender_secret
from arbiter.games.ranks import Trait
from arbiter.games.ruleset import RuleSet
from arbiter.show.boards import write_rank
from arbiter.show.language import name_rank
from protocol.words import SEATS, RankId

_WIDTH: Final = 80
_OUR_NAMES: Final[frozenset[RankId]] = frozenset({"marksman", "berserker"})  # of figures of the Clone Wars
_Sections = dict[str, list[str]]


def rules_page(ruleset: RuleSet, lang: str = "en") -> str:
    """Write a rule set as a page of text, with the names of the pieces in a language.  Raises ConfigError."""
    if isinstance(ruleset, BoardRules):
        game = _describe_board_game(ruleset)
    elif isinstance(ruleset, CardRules):
        game = _describe_card_game(ruleset)
    else:
        raise TypeError(f"{ruleset.name} is neither a board game nor a card game")
    sections = {
        "Source": [ruleset.source],
        f"Army: {sum(ruleset.army.values())} {_noun(ruleset)}s on each side": [
            *(_describe_rank(ruleset, rank.id, lang) for rank in ruleset.ranks if ruleset.army.get(rank.id)),
            *(f"no book names the {rank}; this name is ours" for rank in sorted(_OUR_NAMES & ruleset.army.keys())),
        ],
        **game,
        # An option is described by the docstring of its function.
        "Options": [
            f"{option}: {' '.join((inspect.getdoc(change) or '').split())}" for option, change in ruleset.offers.items()
        ]
        or ["none"],
        "Rulings on what the book leaves open": list(ruleset.rulings),
    }
    pages = [f"{ruleset.title} ({ruleset.name})"]
    for title, lines in sections.items():
        written = [textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    ") for line in lines]
        pages.append("\n".join([title, *written]))
    return "\n\n".join(pages)


def _noun(ruleset: RuleSet) -> str:
    return "piece" if isinstance(ruleset, BoardRules) else "card"


def _describe_rank(ruleset: RuleSet, rank: RankId, lang: str) -> str:
    figures = [ruleset.figures[seat][rank] for seat in SEATS if rank in ruleset.figures.get(seat, {})]
    printed = f" ({' / '.join(dict.fromkeys(figures))})" if figures else ""
    return f"{ruleset.army[rank]} {write_rank(rank)} {name_rank(ruleset, rank, lang)}{printed}"


def _draw_limits(ruleset: RuleSet, quiet: str) -> list[str]:
    limits = {quiet: ruleset.no_attack_plies, "plies in all (a ply is one turn of one player)": ruleset.max_plies}
    return [
        "a player resigns, or a draw is offered and accepted",
        *(f"{limit} {what}: a draw (the arbiter's own limit)" for what, limit in limits.items() if limit),
    ]


def _name_ranks(ruleset: RuleSet, trait: Trait) -> str:
    """Return the names of the ranks with a trait, as in a sentence.  Sentences are English in every language."""
    ranks = [rank.id for rank in ruleset.ranks if rank.has(trait) and ruleset.army.get(rank.id)]
    return " and ".join(name_rank(ruleset, rank).lower() for rank in ranks)


# --- board games --------------------------------------------------------------------------------------

_SCOPES: Final[Mapping[str, str]] = {
    "chase": "a position of this chase, except",
    "game": "any earlier position of the game, except",
    "book": "any earlier position of the game, not even",
}
_CHASE: Final = (
    (
        "more squares: in a chase, a move may not bring back {} by a move straight back to the square that the piece "
        "left on its side's last turn"
    ),
    (
        "a chase begins when your move ends next to an enemy piece (they share a border) and the opponent moves that "
        "piece away; it lasts as long as each of your moves does so again and each time the opponent moves such a "
        "piece away; a capture also ends it"
    ),
    "the rule refuses only a move to an empty square next to a piece that has moved away in this chase",
    "position: which piece is on which square, whatever their ranks",
)


def _describe_board_game(ruleset: BoardRules) -> _Sections:
    board = ruleset.board
    rows = {seat: [square // board.files + 1 for square in ruleset.deployment(seat)] for seat in SEATS}
    limit = ruleset.two_squares
    flag = _name_ranks(ruleset, Trait.FLAG)
    repetition = [
        f"two squares: a piece may cross the same border between two squares in {limit} turns in a row, but not in the "
        "next one, not even to attack; moving another piece in between starts the count again; a piece that moves "
        "several squares crosses every border on its way"
        if limit
        else "two squares: no limit"
    ]
    scope = _SCOPES.get(ruleset.more_squares)
    repetition += ["more squares: no limit"] if scope is None else [line.format(scope) for line in _CHASE]
    return {
        f"Board: {board.files}x{board.rows}": [
            f"lakes {' '.join(board.lakes)}; no piece enters or jumps over a lake" if board.lakes else "no lakes"
        ],
        "Aim": [f"take the opponent's {flag}"],
        "Deployment": [
            *(f"{seat} on rows {min(rows[seat])} to {max(rows[seat])}" for seat in SEATS),
            (
                "both players place their whole army at the same time, one piece on a square, where they like; the "
                "opponent does not see the ranks"
            ),
        ],
        "Turn": _describe_moves(ruleset),
        "Attack": _describe_attacks(ruleset),
        "What each player learns": _describe_knowledge(ruleset),
        "Powers": [power.about for power in ruleset.powers if power.about] or ["none"],
        "Repetition": repetition,
        "Endings": [
            f"the {flag} is taken: the player that took it wins",
            (
                f"a side has only {_name_ranks(ruleset, Trait.IMMOVABLE)} left: it loses; if both sides have nothing "
                "else, the game is a draw"
            ),
            "a player has no legal move on its turn, for example because all its pieces are blocked: it loses",
            *_draw_limits(ruleset, "plies without an attack"),
        ],
    }


def _describe_moves(ruleset: BoardRules) -> list[str]:
    runners = _name_ranks(ruleset, Trait.RUNNER)
    immovable = _name_ranks(ruleset, Trait.IMMOVABLE)
    lines = [
        f"{ruleset.first} moves first" if ruleset.first else "the first player is drawn at random",
        (
            "move one piece one square forward, backward or sideways, never diagonally, never over another piece, to "
            "an empty square or to an enemy piece (an attack); attacking is never required"
        ),
    ]
    if runners:
        lines.append(f"{runners}: any number of empty squares in a straight line, which may end with an attack")
    lines.append(
        f"{immovable} never move; a player that moves one "
        f"{'loses the game at once' if ruleset.immovable_loses else 'makes an illegal move'}"
    )
    lines.append("an illegal move is not played: a bot loses the game, unless the tournament lets it try again")
    return lines


def _describe_attacks(ruleset: RuleSet) -> list[str]:
    """Describe the fights by the traits of the ranks that the army has."""
    noun = _noun(ruleset)
    lines = [
        f"the {noun} with the higher number wins, the other one leaves the game",
        f"equal numbers: {'the attacker wins' if attacker_prevails in ruleset.fights else 'both leave the game'}",
    ]
    spy = _name_ranks(ruleset, Trait.SPY)
    prey = _name_ranks(ruleset, Trait.SPY_PREY)
    if spy and prey:
        lines.append(f"{spy} (number 1): wins if it attacks the {prey}; if the {prey} attacks it, the {spy} loses")
    if bomb := _name_ranks(ruleset, Trait.BOMB):
        lines.append(
            f"{bomb}: every attacker but the {_name_ranks(ruleset, Trait.DEFUSER)} is lost, and the {bomb} stays"
        )
    if defuser := _name_ranks(ruleset, Trait.DEFUSER):
        lines.append(f"{defuser} (3): wins if it attacks a bomb, which leaves the game")
    lines.append(f"{_name_ranks(ruleset, Trait.FLAG)}: any {noun} that can attack takes it")
    if infiltrator := _name_ranks(ruleset, Trait.INFILTRATOR):
        lines.append(
            f"{infiltrator}: loses every fight, as attacker and as defender, also against the spy; of two "
            f"{infiltrator}s both leave; it takes the flag"
        )
    if isinstance(ruleset, BoardRules):
        lines.append("an attacker that wins moves to the square of the defender; a defender that wins stays")
    return lines


def _describe_knowledge(ruleset: BoardRules) -> list[str]:
    lines = ["both players see where pieces stand and how they move, but not the ranks of enemy pieces"]
    if ruleset.disclosure is keep_defender_secret:
        lines.append("an attack shows the attacker's rank; the defender's rank only if a scout attacks")
    else:
        lines.append(
            "an attack shows both ranks to both players, whatever its result; then the winner is turned away again, so "
            "remember it (programs and replays do)"
        )
    if runners := _name_ranks(ruleset, Trait.RUNNER):
        lines.append(f"a move of more than one square shows that the piece is a {runners.replace(' and ', ' or a ')}")
    immovable = _name_ranks(ruleset, Trait.IMMOVABLE)
    lines.append(f"a piece that has moved is no {immovable.replace(' and ', ' and no ')}")
    return lines


# --- the card game ------------------------------------------------------------------------------------


def _describe_card_game(ruleset: CardRules) -> _Sections:
    return {
        "Aim": ["take the opponent's flag"],
        "Deployment": [
            (
                f"each player is dealt {ruleset.deal} cards of its own shuffled deck, lays {ruleset.line} of them in a "
                "line, face down, and keeps the others in the hand"
            ),
        ],
        "Turn": [
            f"{ruleset.first} begins",
            f"1. the hand is filled to {ruleset.hand} cards from the deck, as long as it has cards",
            "2. do one of these with a card of your line; passing is not possible",
            "attack with any card but a bomb or the flag: choose a card of the opponent's line",
            *(power.about for power in ruleset.powers if power.about),
            "3. fill as many gaps of your line as you can from your hand; you choose which card goes where",
        ],
        "Attack": [
            (
                "both cards are shown to both players; the winner is turned face down again in its own place, the "
                "loser leaves the game"
            ),
            *_describe_attacks(ruleset),
            "a gap of the player that was attacked stays open until step 3 of its own turn",
        ],
        "What each player learns": [
            "a player sees its own line and hand, never the order of a deck",
            "a card that attacks, defends or looks, and a flag that is shown, is seen by both players",
            (
                "what a spy or a scout looks at is shown to its own player only; the opponent sees which cards were "
                "looked at"
            ),
            "when gaps are filled, the opponent sees which gaps, but neither the cards nor their places in the hand",
        ],
        "Endings": [
            "the flag is taken: the player that took it wins",
            "neither player owns a card that can attack, in line, hand and deck: a draw",
            (
                "a player has no card in its line that can attack when it is to act (step 2): it loses, even with "
                "the flag in the line"
            ),
            *_draw_limits(ruleset, "turns of both players together without a card removed"),
        ],
    }
