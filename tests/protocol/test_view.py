"""The knowledge of a player comes from the facts that it received, and from nothing else."""

from random import Random

import pytest
from bot_games import BOARD_GAMES

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from protocol.messages import BoardView, Rules, ViewPiece
from protocol.view import BoardKnowledge, board_order, new_knowledge
from protocol.words import (
    BLUE,
    OPPONENT,
    RED,
    SEATS,
    Attacked,
    Deploy,
    Deployed,
    DrawOffered,
    Guessed,
    Looked,
    Move,
    Moved,
    Placed,
    Removed,
    Rescue,
    Revealed,
    Struck,
)

SETUP = [Deployed(RED, ["a1", "b4"]), Deployed(BLUE, ["a10", "b7"])]


def knowledge_after(*facts, deployed=True):
    """Return red's knowledge after the deployment in a tiny game: red flag a1, scout b4; blue on a10 and b7."""
    knowledge = BoardKnowledge(RED)
    if deployed:
        knowledge.note_action(Deploy(pieces={"b4": "scout", "a1": "flag"}))
        facts = (*SETUP, *facts)
    for fact in facts:
        knowledge.note_fact(fact)
    return knowledge


def describe(knowledge):
    """Describe a view: rank or ?, and * for a piece that has moved."""
    return " ".join(
        f"{piece.place}:{piece.seat[0]}:{piece.rank or '?'}{'*' if piece.moved else ''}"
        for piece in knowledge.view().pieces
    )


def captured(knowledge):
    return knowledge.view().captured


NONE_LOST = {"red": {}, "blue": {}}
ATTACK = Attacked(RED, "b4", "b7")
REVEALING_ATTACK = [ATTACK, Revealed(BLUE, "b7", "miner")]

STORIES = {
    "no facts yet": ([], "a1:r:flag b4:r:scout b7:b:? a10:b:?", NONE_LOST),
    "both move": ([Moved(RED, "b4", "b6"), Moved(BLUE, "b7", "c7")], "a1:r:flag b6:r:scout* c7:b:?* a10:b:?", NONE_LOST),
    "a defender that won stays known": ([*REVEALING_ATTACK, Removed(RED, "b4")], "a1:r:flag b7:b:miner a10:b:?", {"red": {"scout": 1}, "blue": {}}),
    "a defender that won stays known when it moves": (
        [*REVEALING_ATTACK, Removed(RED, "b4"), Moved(BLUE, "b7", "b6")],
        "a1:r:flag b6:b:miner* a10:b:?",
        {"red": {"scout": 1}, "blue": {}},
    ),
    "an attacker that won moves": (
        [ATTACK, Revealed(BLUE, "b7", "spy"), Removed(BLUE, "b7"), Moved(RED, "b4", "b7")],
        "a1:r:flag b7:r:scout* a10:b:?",
        {"red": {}, "blue": {"spy": 1}},
    ),
    "equal pieces both leave": (
        [ATTACK, Revealed(BLUE, "b7", "scout"), Removed(RED, "b4"), Removed(BLUE, "b7")],
        "a1:r:flag a10:b:?",
        {"red": {"scout": 1}, "blue": {"scout": 1}},
    ),
    "a lost piece of unknown rank counts as unknown": (
        [ATTACK, Removed(BLUE, "b7"), Moved(RED, "b4", "b7")],
        "a1:r:flag b7:r:scout* a10:b:?",
        {"red": {}, "blue": {"unknown": 1}},
    ),
    "a rank shown again stays": (
        [Revealed(BLUE, "b7", "general"), Looked(RED, "b4", "b7"), Revealed(BLUE, "b7", "general")],
        "a1:r:flag b4:r:scout b7:b:general a10:b:?",
        NONE_LOST,
    ),
    "powers and offers change nothing": (
        [Looked(BLUE, "b7", "b4"), Struck(RED, "b4", "b7"), Guessed(RED, "b4", "b7", "spy", right=False), DrawOffered(BLUE)],
        "a1:r:flag b4:r:scout b7:b:? a10:b:?",
        NONE_LOST,
    ),
    "an enemy piece of unknown rank returns": (
        [ATTACK, Removed(BLUE, "b7"), Moved(RED, "b4", "b7"), Placed(BLUE, "c10")],
        "a1:r:flag b7:r:scout* a10:b:? c10:b:?",
        NONE_LOST,
    ),
    "an enemy piece of known rank returns": (
        [*REVEALING_ATTACK, Removed(BLUE, "b7"), Moved(RED, "b4", "b7"), Placed(BLUE, "c10"), Revealed(BLUE, "c10", "miner")],
        "a1:r:flag b7:r:scout* a10:b:? c10:b:miner",
        NONE_LOST,
    ),
    "a returned piece is revealed in a later attack": (
        [ATTACK, Removed(BLUE, "b7"), Moved(RED, "b4", "b7"), Placed(BLUE, "b8"), Attacked(RED, "b7", "b8"), Revealed(BLUE, "b8", "bomb"), Removed(RED, "b7")],
        "a1:r:flag b8:b:bomb a10:b:?",
        {"red": {"scout": 1}, "blue": {}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "pieces", "lost"), STORIES.values(), ids=STORIES.keys())
def test_the_knowledge_of_red(facts, pieces, lost):
    knowledge = knowledge_after(*facts)
    assert describe(knowledge) == pieces
    assert captured(knowledge) == lost


def test_an_own_rescued_piece_returns_unmoved():
    knowledge = knowledge_after(
        Moved(RED, "b4", "b6"), Attacked(RED, "b6", "b7"), Revealed(BLUE, "b7", "spy"), Removed(RED, "b6")
    )
    knowledge.note_action(Rescue("scout", "c3"))
    knowledge.note_fact(Placed(RED, "c3"))
    assert describe(knowledge) == "a1:r:flag c3:r:scout b7:b:spy a10:b:?"
    assert captured(knowledge) == NONE_LOST


def test_nothing_is_known_before_the_deployments_are_reported():
    knowledge = BoardKnowledge(RED)
    knowledge.note_action(Deploy(pieces={"a1": "flag"}))
    assert knowledge.view() == BoardView([], {"red": {}, "blue": {}})


def test_a_given_position_is_revealed_to_each_owner():
    knowledge = knowledge_after(*SETUP, Revealed(RED, "a1", "flag"), Revealed(RED, "b4", "miner"), deployed=False)
    assert describe(knowledge) == "a1:r:flag b4:r:miner b7:b:? a10:b:?"


def test_later_facts_do_not_change_a_view():
    knowledge = knowledge_after()
    before = knowledge.view()
    knowledge.note_fact(Moved(RED, "b4", "b6"))
    assert ViewPiece("b4", RED, "scout") in before.pieces


def test_squares_are_listed_row_by_row():
    squares = ["b10", "a10", "j9", "a2", "j1", "a1"]
    assert sorted(squares, key=board_order) == ["a1", "j1", "a2", "j9", "a10", "b10"]


def test_an_unknown_game_is_reported():
    rules = Rules(id="dice", options=[], army={}, first="red", no_attack_plies=0, max_plies=0, ranks=[])
    with pytest.raises(ValueError, match="'dice' is neither a board game nor a card game"):
        new_knowledge(rules, RED)


# --- compared with the full position ---------------------------------------------------------------


def draw_deployment(rules, seat, rng):
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    return Deploy(pieces=dict(zip(rng.sample(rules.deploy[seat], len(army)), army, strict=True)))


def deliver(knowledge_of, addressed):
    for one in addressed:
        for seat in one.to:
            knowledge_of[seat].note_fact(one.fact)


def compare_with_true_board(play, knowledge_of, revealed):
    """Compare each view with the true board: all pieces, own ranks, and of enemy ranks only the revealed ones."""
    names = play.tables.ruleset.board.names
    truth = {names[piece.square]: (piece.seat, piece.rank) for piece in play.position.placed_pieces()}
    for seat, knowledge in knowledge_of.items():
        view = knowledge.view()
        assert [piece.place for piece in view.pieces] == sorted(truth, key=board_order)
        for piece in view.pieces:
            owner, rank = truth[piece.place]
            assert piece.seat == owner
            assert piece.rank in ([rank] if owner == seat else [rank, None])
        known = sum(piece.rank is not None for piece in view.pieces if piece.seat != seat)
        known += sum(count for rank, count in view.captured[OPPONENT[seat]].items() if rank != "unknown")
        assert known <= revealed[seat]
        assert sum(sum(lost.values()) for lost in view.captured.values()) == len(play.position.captured)


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_the_views_follow_a_random_game(name):
    rng = Random(5)
    game = find_game(name)
    play = game.start(SeededChance(5))
    knowledge_of = {seat: new_knowledge(game.describe(play.first), seat) for seat in SEATS}
    revealed = dict.fromkeys(SEATS, 0)
    while play.outcome is None and play.plies < 400:
        seat = play.to_act[0]
        is_setup = play.phase == "setup"
        action = (
            draw_deployment(game.describe(play.first), seat, rng) if is_setup else rng.choice(play.legal_actions(seat))
        )
        addressed = play.act(seat, action)
        knowledge_of[seat].note_action(action)
        deliver(knowledge_of, addressed)
        for one in addressed:
            if isinstance(one.fact, Revealed):
                revealed[one.to[0]] += 1
        if not is_setup and (isinstance(action, Move) and len(addressed) > 1):
            compare_with_true_board(play, knowledge_of, revealed)
    compare_with_true_board(play, knowledge_of, revealed)
