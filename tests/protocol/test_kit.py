"""The values that the kit computes: squares of the board, pieces of both sides, hidden ranks, remaining time."""

from random import Random

import pytest

from arbiter.games.catalogue import find_game
from protocol.bot import Board, Game, Turn
from protocol.bot.trial import CLASSIC, CLOCK, TIME, Trial, position
from protocol.messages import BoardShape, ClockState, Start
from protocol.words import (
    BLUE,
    RED,
    Attacked,
    Dealt,
    Deploy,
    Deployed,
    DrawOffered,
    Move,
    Moved,
    Removed,
    Resign,
    Revealed,
)

BOARD = Board(CLASSIC.board)
STEP = Move("a4", "a5")


def read_turn(read, *news, own=None, enemies=None, seat=RED, rules=CLASSIC, phase="turn", clock=CLOCK):
    """Return the result of `read` for a turn in a position, after some facts."""
    found = []

    def choose(turn):
        found.append(read(turn))
        return Resign()

    facts = [] if own is None else position(own, enemies or {}, seat)
    Trial(choose, deploy=choose, rules=rules, seat=seat).ask([STEP], [*facts, *news], phase=phase, clock=clock)
    return found[0]


# --- the board ------------------------------------------------------------------------------------


def test_the_squares_do_not_include_lakes():
    assert len(BOARD.squares) == 92
    assert BOARD.squares[:2] == ("a1", "b1")
    assert BOARD.squares[-1] == "j10"


@pytest.mark.parametrize(
    ("place", "expected"),
    [("a1", {"a2", "b1"}), ("e5", {"e4", "e6", "f5"}), ("b6", {"b5", "b7", "a6"}), ("j10", {"j9", "i10"})],
)
def test_neighbours(place, expected):
    assert set(BOARD.neighbours[place]) == expected


def test_rays_end_at_the_edge_and_at_lakes():
    assert set(BOARD.rays["c3"]) == {("c4",), ("d3", "e3", "f3", "g3", "h3", "i3", "j3"), ("c2", "c1"), ("b3", "a3")}


def test_steps_go_around_lakes():
    assert BOARD.steps("c4")["c7"] == 5
    assert BOARD.steps("c4")["c4"] == 0
    assert set(BOARD.steps("a1")) == set(BOARD.squares)


def test_unreachable_squares_have_no_steps():
    assert Board(BoardShape(3, 1, ["b1"])).steps("a1") == {"a1": 0}


@pytest.mark.parametrize(
    ("place", "seat", "depth"), [("c1", RED, 0), ("c1", BLUE, 9), ("j10", BLUE, 0), ("d4", RED, 3)]
)
def test_depth_is_counted_from_the_back_row_of_a_seat(place, seat, depth):
    assert BOARD.depth(place, seat) == depth


# --- the game -------------------------------------------------------------------------------------


def game(rules=CLASSIC, seat=RED):
    return Game(Start("g", rules, seat, None, 5, TIME))


def test_the_rules_of_a_trial_are_those_of_the_classic_game():
    assert find_game("original").describe(RED) == CLASSIC


def test_a_game_has_both_seats_and_its_own_random_numbers():
    assert (game().enemy, game(seat=BLUE).enemy) == (BLUE, RED)
    assert game().rng.random() == Random(5).random()


@pytest.mark.parametrize(
    ("attacker", "defender", "ends"),
    [
        ("captain", "miner", "win"),
        ("miner", "captain", "loss"),
        ("major", "major", "draw"),
        ("spy", "marshal", "win"),
        ("marshal", "spy", "win"),
        ("spy", "general", "loss"),
        ("spy", "spy", "draw"),
        ("miner", "bomb", "win"),
        ("marshal", "bomb", "loss"),
        ("scout", "flag", "win"),
    ],
)
def test_fights(attacker, defender, ends):
    assert game().fight(attacker, defender) == ends


def test_with_aggressor_advantage_the_attacker_wins_against_an_equal():
    terms = find_game("us", ("aggressor-advantage",)).describe(RED)
    assert game(terms).fight("spy", "spy") == "win"
    assert game(find_game("us").describe(RED)).fight("spy", "spy") == "draw"


@pytest.mark.parametrize("enemy", ["spy", "marshal", "bomb", "flag", "infiltrator"])
def test_an_infiltrator_only_beats_the_flag(enemy):
    ends = game(find_game("infiltrator").describe(RED)).fight("infiltrator", enemy)
    assert ends == {"flag": "win", "infiltrator": "draw"}.get(enemy, "loss")


def test_a_card_game_has_no_board():
    assert game(find_game("card-game").describe(RED)).board is None


# --- a turn ---------------------------------------------------------------------------------------

OWN = {"a4": "scout", "b1": "flag"}
ENEMIES = {"a7": None, "b7": "bomb", "c7": None}


def test_the_sides_of_a_board():
    news = [Moved(BLUE, "a7", "a6")]
    assert read_turn(lambda turn: turn.own, *news, own=OWN, enemies=ENEMIES) == OWN
    assert read_turn(lambda turn: turn.enemies, *news, own=OWN, enemies=ENEMIES) == {
        "a6": None,
        "b7": "bomb",
        "c7": None,
    }
    assert read_turn(lambda turn: turn.movers, *news, own=OWN, enemies=ENEMIES) == {"a6"}


def test_own_pieces_are_not_in_movers():
    assert read_turn(lambda turn: turn.movers, Moved(RED, "a4", "a5"), own=OWN, enemies=ENEMIES) == set()


def test_hidden_is_the_army_without_lost_and_known_pieces():
    army = CLASSIC.army
    assert read_turn(lambda turn: turn.hidden, own=OWN, enemies=ENEMIES) == {**army, "bomb": army["bomb"] - 1}
    fight = [Attacked(RED, "a4", "a7"), Revealed(BLUE, "a7", "marshal"), Removed(RED, "a4"), Removed(BLUE, "b7")]
    hidden = read_turn(lambda turn: turn.hidden, *fight, own=OWN, enemies=ENEMIES)
    assert hidden["marshal"] == 0
    assert "marshal" not in hidden
    assert hidden["bomb"] == army["bomb"] - 1


def test_a_lost_piece_of_unknown_rank_stays_hidden():
    hidden = read_turn(lambda turn: turn.hidden, Removed(BLUE, "a7"), own=OWN, enemies=ENEMIES)
    assert hidden.total() == sum(CLASSIC.army.values()) - 1


CARDS = find_game("card-game").describe(RED)
DEALT = [
    Dealt(RED, [f"hand:{number}" for number in range(8)]),
    *(Revealed(RED, f"hand:{number}", rank) for number, rank in enumerate(["flag", *["miner"] * 4, *["scout"] * 3])),
    Dealt(BLUE, [f"hand:{number}" for number in range(8)]),
]


def test_the_sides_of_a_card_game():
    seen_cards = []

    def choose(turn):
        seen_cards.append((turn.own, turn.enemies, turn.movers, turn.hidden["spy"]))
        return Resign()

    def deploy(turn):
        return Deploy(line=[f"hand:{number}" for number in range(1, 6)])

    trial = Trial(choose, deploy=deploy, rules=CARDS)
    trial.ask(news=DEALT, phase="setup")
    lines = [f"line:{number}" for number in range(5)]
    trial.ask([], [Deployed(RED, lines), Deployed(BLUE, lines), Revealed(BLUE, "line:2", "spy")])
    own, enemies, movers, spies = seen_cards[0]
    assert own == {
        **dict.fromkeys(lines[:4], "miner"),
        "line:4": "scout",
        "hand:0": "flag",
        "hand:1": "scout",
        "hand:2": "scout",
    }
    assert enemies == {**dict.fromkeys(lines), "line:2": "spy"}
    assert (movers, spies) == (set(), 0)


@pytest.mark.parametrize(("seat", "offered"), [(BLUE, True), (RED, False)])
def test_only_the_enemy_s_draw_offer_counts(seat, offered):
    assert read_turn(lambda turn: turn.draw_offered, DrawOffered(seat)) is offered


@pytest.mark.parametrize(
    ("clock", "phase", "asked", "most"),
    [
        (ClockState(9000, 7000, None, 0), "turn", 1, 9),
        (ClockState(9000, 7000, 5000, 0), "turn", 1, 5),
        (ClockState(3000, 7000, 5000, 0), "turn", 1, 3),
        (ClockState(3000, 7000, 5000, 0), "setup", 1, 5),
        (ClockState(3000, 7000, 5000, 0), "setup", 2, 3),
    ],
    ids=["bank", "cap", "bank below the cap", "setup", "setup after a regroup"],
)
def test_the_remaining_time_decreases_from_the_limit_of_the_answer(clock, phase, asked, most):
    left = []

    def choose(turn):
        left[:] = [turn.seconds_left, turn.seconds_left]
        return Resign()

    trial = Trial(choose, deploy=choose)
    for _ in range(asked):
        trial.ask(phase=phase, clock=clock)
    assert left[1] < left[0] <= most
    assert left[0] > most - 2


def test_blue_has_its_own_clock():
    assert 6 < read_turn(lambda turn: turn.seconds_left, clock=ClockState(9000, 8000, None, 0), seat=BLUE) <= 8


def test_a_turn_has_the_values_of_its_game():
    assert read_turn(lambda turn: (isinstance(turn, Turn), turn.game.seat, turn.seat, turn.rng is turn.game.rng)) == (
        True,
        RED,
        RED,
        True,
    )
