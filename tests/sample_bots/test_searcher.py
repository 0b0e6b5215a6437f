"""The searcher: whole games, its search of one world, what it learned, and its deployments."""

from collections import Counter
from itertools import count
from types import SimpleNamespace

import pytest
from bot_games import BOARD_GAMES, connect_in_process, new_game, play_game
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.bot.trial import Trial, position
from protocol.words import BLUE, RED, SEATS, Deployed, Move, Moved
from sample_bots.beliefs import IMMOVABLE
from sample_bots.fights import value
from sample_bots.habits import HabitEstimates, read_table
from sample_bots.lookahead import Lookahead, OutOfTimeError, World
from sample_bots.random_player import choose
from sample_bots.searcher import PART_OF_TURN, Searcher, allowed_seconds, draw_guarded_deployment
from sample_bots.strategist import Strategist

ENDINGS = {"flag_taken", "no_pieces", "no_moves", "ply_limit"}
GAME = new_game()
SQUARES = {place: number for number, place in enumerate(GAME.board.squares)}
RESULTS = {"win": 1, "draw": 0, "loss": -1}
WIDE = (-1000.0, 1000.0)
FIRST = ("clone-wars-powers", "infiltrator", "us")  # with powers and options


@pytest.fixture(autouse=True)
def few_positions(monkeypatch):
    monkeypatch.setattr("sample_bots.searcher.NODES", 300)
    monkeypatch.setattr("sample_bots.searcher.WORLDS", 3)


@pytest.mark.heavy(keep=len(FIRST))
@pytest.mark.parametrize("name", sorted(BOARD_GAMES, key=lambda name: name not in FIRST))
def test_it_plays_every_board_game_with_its_own_search(name, monkeypatch):
    searched = []
    monkeypatch.setattr(Searcher, "_list_pieces", lambda self, real=Searcher._list_pieces: searched.append(real(self)))
    bots = {RED: connect_in_process(Searcher, "searcher"), BLUE: connect_in_process(choose, "random")}
    assert play_game(name, bots, seed=1, max_plies=25).ending in ENDINGS
    assert len(searched) > 2


def test_it_plays_with_the_options_of_the_us_rules():
    bots = {RED: connect_in_process(Searcher, "searcher"), BLUE: connect_in_process(choose, "random")}
    options = ("aggressor-advantage", "silent-defence", "rescue")
    assert play_game("us", bots, seed=1, max_plies=60, options=options).ending in ENDINGS


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("name", ["duel", "barrage"])
def test_it_beats_random(name):
    won = 0
    for seed in range(6):
        bots = {SEATS[seed % 2]: connect_in_process(Searcher, "searcher")}
        bots[SEATS[1 - seed % 2]] = connect_in_process(choose, "random")
        won += play_game(name, bots, seed).winner == SEATS[seed % 2]
    assert won >= 5


def test_the_same_seed_and_number_of_positions_give_the_same_game():
    def play():
        bots = {RED: connect_in_process(Searcher, "one"), BLUE: connect_in_process(Searcher, "other")}
        return play_game("barrage", bots, seed=3)

    assert play() == play()


def test_facts_that_do_not_follow_from_the_rules_leave_it_the_search_of_the_strategist():
    trial = Trial(Searcher)
    steps = [Move("e4", "e5"), Move("e4", "f4")]
    board = position(own={"e4": "colonel", "a1": "flag"}, enemies={"e6": "major", "a10": None})
    assert trial.ask(steps, board).note.startswith("depth")
    answer = trial.ask([Move("e5", "e6")], [Moved(RED, "e4", "e5"), Moved(BLUE, "e6", "h8")])
    assert answer.note is None
    assert answer.action == Move("e5", "e6")


# --- the search ---------------------------------------------------------------------------------------


def look(own, foes, hidden=(), averages=None):
    """Return a search of pieces, with the ranks of both sides; those of the enemy on some squares are hidden."""
    ranks = list(GAME.rules.army)
    board = GAME.board
    found = Lookahead(
        [[SQUARES[one] for one in board.neighbours[place]] for place in SQUARES],
        [[[SQUARES[one] for one in ray] for ray in board.rays[place]] for place in SQUARES],
        {(one, other): RESULTS[GAME.fight(one, other)] for one in ranks for other in ranks},
    )
    places = [*own, *foes]
    kinds = [*own.values(), *foes.values()]
    found.begin(frozenset({"scout"}), lambda nodes: nodes > 100_000)
    found.set_up(
        World(
            ours=len(own),
            squares=[SQUARES[place] for place in places],
            ranks=kinds,
            worth=[value(rank) for rank in kinds],
            shown=[place not in hidden for place in places],
            near=[True] * len(places),
            averages=[averages or {} for _ in places],
            runs=True,
        )
    )
    return found


@pytest.mark.parametrize(
    ("own", "foes", "low", "high"),
    [
        ({"a4": "general"}, {"a5": "colonel"}, 0.8 * value("colonel"), value("colonel")),
        ({"a4": "general"}, {"a5": "colonel", "a6": "marshal"}, -1, 1),  # it is guarded
        ({"a4": "major", "a3": "bomb", "b4": "bomb"}, {"a5": "colonel"}, -value("major"), -0.8 * value("major")),
        ({"a4": "major"}, {"a5": "colonel"}, -1, 1),  # it flees
        ({"a1": "scout"}, {"a9": "spy", "j9": "bomb"}, 0.8 * value("spy"), value("spy")),  # it runs
        ({"b1": "miner"}, {"a1": "flag", "a5": "marshal"}, 0.8 * value("flag"), value("flag")),
    ],
)
def test_it_finds_the_gain_of_fights(own, foes, low, high):
    assert low <= look(own, foes).own_turn(3, *WIDE) <= high


def test_within_the_search_an_attack_on_a_hidden_piece_is_worth_its_average():
    pieces = {"a4": "general", "a3": "bomb", "b4": "bomb"}, {"a5": "bomb"}
    assert look(*pieces, hidden={"a5"}, averages={"general": 7.0}).own_turn(1, *WIDE) == 7.0
    assert look(*pieces).own_turn(1, *WIDE) == 0.0


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_alpha_beta_finds_what_a_search_without_bounds_finds(seed):
    rng = new_game().rng.__class__(seed)
    places = rng.sample([place for place in SQUARES if place[0] in "ab" and place[1:] in "3456"], 5)
    ranks = [rng.choice(["marshal", "major", "miner", "scout", "spy", "bomb"]) for _ in places]
    pieces = dict(zip(places[:2], ranks, strict=False)), dict(zip(places[2:], ranks[2:], strict=False))
    bounded = look(*pieces)
    exact = bounded.own_turn(3, *WIDE)
    for bound in (-30.0, 0.0, 30.0):
        found = look(*pieces).own_turn(3, bound - 0.001, bound)
        assert (found >= bound) == (exact >= bound)
    assert bounded.at == [SQUARES[place] for place in places]


def test_a_search_ends_at_its_number_of_positions():
    search = look({"a4": "general", "b4": "major"}, {"a6": "colonel", "b6": "marshal"})
    search.begin(frozenset(), lambda nodes: nodes > 120)
    with pytest.raises(OutOfTimeError):
        search.own_turn(9, *WIDE)
    assert search.nodes == 150


seconds = st.floats(0, 1000)


@given(seconds, seconds)
def test_it_uses_only_a_part_of_its_time(bank, left):
    turn = SimpleNamespace(
        seat=BLUE,
        clock=SimpleNamespace(red_ms=0, blue_ms=bank * 1000),
        seconds_left=left,
        game=SimpleNamespace(time=SimpleNamespace(increment_s=0.1)),
    )
    assert 0 <= allowed_seconds(turn) <= PART_OF_TURN * left
    assert allowed_seconds(turn) <= 0.1 + bank / 50


@pytest.mark.parametrize("name", ["process_time", "perf_counter"])
def test_each_clock_ends_a_search(monkeypatch, name):
    clock = count()
    monkeypatch.setattr("sample_bots.searcher.NODES", 0)
    monkeypatch.setattr(f"sample_bots.searcher.{name}", lambda: next(clock) * 0.01)
    bots = {RED: connect_in_process(Searcher, "searcher"), BLUE: connect_in_process(choose, "random")}
    play_game("duel", bots, seed=2, max_plies=40)
    assert next(clock) < 20 * 54  # readings: 50 for half a second, and a few more


# --- what it learned ----------------------------------------------------------------------------------


def test_the_table_has_no_bombs_and_flags_that_move():
    for counts in read_table().sizes.values():
        assert not any(sum(counts.first_moves.get(rank, [0])[:-1]) for rank in IMMOVABLE)
        assert not IMMOVABLE & counts.moves.keys()


@pytest.mark.parametrize("name", ["original", "barrage"])
def test_a_piece_that_does_not_move_for_long_is_rather_a_bomb(name):
    game = new_game(name)
    places = game.rules.deploy[BLUE][: sum(game.rules.army.values())]
    habits = HabitEstimates(game)
    habits.follow([Deployed(BLUE, places)], {})
    early = habits.estimate(Counter())
    for _ in range(100):
        habits.follow([], {})
    late = habits.estimate(Counter())
    still = IMMOVABLE & set(game.rules.army)
    moved = places[-1]
    habits.follow([Moved(BLUE, moved, "a6")], {})
    after = habits.estimate(Counter())
    for rank in still:
        assert sum(chances.get(rank, 0) for chances in late.values()) == pytest.approx(game.rules.army[rank], rel=0.05)
        assert rank not in after["a6"]
    assert early.keys() == late.keys()


@pytest.mark.parametrize("name", BOARD_GAMES)
def test_the_chances_of_a_first_square_are_chances_and_leave_no_rank_out(name):
    game = new_game(name)
    habits = HabitEstimates(game)
    habits.follow([Deployed(BLUE, game.rules.deploy[BLUE])], {})
    for chances in habits.prior.values():
        assert 0.6 < sum(chances.values()) < 1.03  # less than 1 for an army without some ranks of the book
        assert min(chances.values()) > 0


# --- the deployment -----------------------------------------------------------------------------------


@pytest.mark.heavy(keep=len(FIRST))
@pytest.mark.parametrize("name", sorted(BOARD_GAMES, key=lambda name: name not in FIRST))
def test_it_deploys_its_army_with_a_covered_flag(name):
    covered = 0
    for seed, seat in enumerate(SEATS * 2):
        game = new_game(name, seat=seat, seed=seed)
        pieces = draw_guarded_deployment(game)
        assert Counter(pieces.values()) == Counter(game.rules.army)
        assert pieces.keys() <= set(game.rules.deploy[seat])
        home = next(place for place, rank in pieces.items() if rank == "flag")
        covered += all(place in pieces for place in game.board.neighbours[home])
    assert covered >= 3


def test_the_strategist_does_not_know_its_deployments():
    game = new_game(seat=RED)
    strategist = Strategist(new_game(seat=BLUE))
    pieces = draw_guarded_deployment(game)
    assert pieces not in strategist.beliefs.book
