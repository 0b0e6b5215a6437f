"""The PettingZoo environment: PettingZoo's own tests, observations against the view of a seat, and hidden information."""

import subprocess
import sys
from functools import partial
from random import Random

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from twins import ARMIES, make_twins

from arbiter.api import ConfigError, Overrides, start_game
from arbiter.games.base import visible_to
from arbiter.learning.environment import AGENT_OF, SEAT_OF, StrategoEnv, env
from arbiter.learning.game import LearningRules, NumberedGame
from arbiter.learning.planes import QUIET_STEPS
from arbiter.learning.policy_bot import new_player_class
from protocol.bot.session import new_session
from protocol.bot.trial import CLOCK, TIME
from protocol.messages import Ask, Start
from protocol.words import OPPONENT, SEATS, Deploy, Move, Revealed, Stop

SETTINGS = {
    "original": {},
    "original-2000": {},
    "isf": {},
    "us": {"options": ("printed-army", "aggressor-advantage", "silent-defence", "rescue")},
    "duel": {},
    "barrage": {},
    "infiltrator": {"overrides": Overrides(army={"infiltrator": 8, "bomb": 2, "scout": 4})},
    "clone-wars": {},
    "clone-wars-powers": {"overrides": Overrides(army={"berserker": 4, "marksman": 4, "bomb": 2, "major": 0})},
}
HISTORY = 4
EVERY_RULE_SET = pytest.mark.parametrize("rules", SETTINGS)
WIDE = {"us", "infiltrator", "clone-wars-powers"}  # each kind of action, fact and plane is in one of them
EACH = pytest.mark.parametrize(
    "rules", [pytest.param(name, marks=[] if name in WIDE else pytest.mark.heavy) for name in SETTINGS]
)
# PettingZoo warns about every observation that is a dictionary, except in its own games.
EXPECTED_WARNINGS = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)


def allow_dictionaries(test):
    for warning in EXPECTED_WARNINGS:
        test = pytest.mark.filterwarnings(warning)(test)
    return test


@allow_dictionaries
@EACH
@pytest.mark.parametrize(
    ("make", "more", "cycles"),
    [
        (env, {}, 150),
        (StrategoEnv, {"deploy": None}, 150),
        pytest.param(env, {}, 4000, marks=pytest.mark.slow),
        pytest.param(StrategoEnv, {"deploy": None}, 4000, marks=pytest.mark.slow),
    ],
    ids=["wrapped", "placing", "wrapped, whole games", "placing, whole games"],
)
def test_the_tests_of_pettingzoo_pass(capsys, rules, make, more, cycles):
    new = partial(make, rules, **SETTINGS[rules], **more)
    api_test(new(), num_cycles=cycles)
    seed_test(new, num_cycles=cycles)
    assert "Passed API test" in capsys.readouterr().out


def choose(observation, rng):
    return int(rng.choice(observation["action_mask"].nonzero()[0]))


@EACH
def test_planes_and_mask_show_the_view_and_the_legal_actions_of_a_seat(rules):
    """Play the same game in the environment and through the interface for one process."""
    environment = StrategoEnv(rules, **SETTINGS[rules], deploy=None, history=HISTORY)
    environment.reset(seed=4)
    state = start_with(environment, rules)
    rng = Random(4)
    while environment.agents and not environment.terminations[agent := environment.agent_selection]:
        seat = SEAT_OF[agent]
        observation = environment.observe(agent)
        if environment._game.play.phase != "setup":
            legal = [environment.table.actions[seat][number] for number in observation["action_mask"].nonzero()[0]]
            assert set(legal) == set(state.legal_actions(seat))
            assert len(legal) == len(state.legal_actions(seat))
            assert_planes(environment, observation["observation"], state, seat)
            assert not environment.observe(AGENT_OF[OPPONENT[seat]])["action_mask"].any()
        phase, before = environment._game.play.phase, dict(environment._game.play._deployments)
        number = choose(observation, rng)
        environment.step(number)
        if phase != "setup":
            state.act(seat, environment.table.actions[seat][number])
        elif seat in environment._game.play._deployments and seat not in before:
            pieces = environment._game.play._deployments[seat]
            names = environment._game._rules.rules.board.names
            state.act(seat, Deploy(pieces={names[piece.square]: piece.rank for piece in pieces}))
    assert environment._game.play.outcome == state.outcome
    winner = state.outcome.winner
    expected = {agent: 0 if winner is None else 1 if seat == winner else -1 for agent, seat in SEAT_OF.items()}
    assert environment.rewards == expected


def start_with(environment, rules):
    """Start the same game through the interface, with the same seat to move first."""
    for seed in range(100):
        state = start_game(rules, **SETTINGS[rules], seed=seed)
        if state.rules.first == environment._game.play.first:
            return state
    raise AssertionError


def list_actions(state, seat):
    """List the actions so far, newest first, each with the squares on which it showed an enemy rank to a seat."""
    actions = []
    for act in state._acts:
        if not isinstance(act.action, Deploy | Stop) and hasattr(act.action, "src"):
            actions.insert(0, (act.action, []))
        for fact in visible_to(seat, act.facts or ()):
            if isinstance(fact, Revealed) and fact.seat != seat and actions:
                actions[0][1].append(fact.place)
    return actions


def assert_planes(environment, planes, state, seat):
    """Compare all planes with the view of a seat, computed independently of them."""
    layout = environment.layout
    board = layout.board
    expected = np.zeros(layout.shape, np.int8)

    def at(place):
        row, file = divmod(board.square[place], board.files)
        return (row, file) if seat == "red" else (board.rows - 1 - row, board.files - 1 - file)

    view = state.view(seat)
    for piece in view.pieces:
        side = "own" if piece.seat == seat else "enemy"
        expected[at(piece.place)][layout.index[f"{side} {piece.rank or 'hidden'}"]] = 1
        expected[at(piece.place)][layout.index["moved"]] = piece.moved
    for owner, lost in view.captured.items():
        for rank, count in lost.items():
            name = "hidden" if rank == "unknown" else rank
            expected[:, :, layout.index[f"{'own' if owner == seat else 'enemy'} lost {name}"]] = count
    for lake in board.lakes:
        expected[at(lake)][layout.index["lake"]] = 1
    play = environment._game.play
    if layout.no_attack_plies:
        expected[:, :, layout.index["quiet"]] = QUIET_STEPS * play.quiet_plies // layout.no_attack_plies
    if play.phase in layout.phases:
        expected[:, :, layout.phases[play.phase]] = 1
    for number, (action, places) in enumerate(list_actions(state, seat)[:HISTORY], start=1):
        expected[at(action.src)][layout.index[f"from {number}" if number > 1 else "last from"]] = 1
        expected[at(action.dst)][layout.index[f"to {number}" if number > 1 else "last to"]] = 1
        for place in places:
            expected[at(place)][layout.index[f"seen {number}"]] = 1
    wrong = sorted({layout.names[plane] for plane in (planes != expected).nonzero()[2]})
    assert wrong == [], f"ply {play.plies}"


@EACH
def test_a_policy_receives_the_same_observations_as_a_bot(rules):
    environment = StrategoEnv(rules, **SETTINGS[rules], deploy=None, history=HISTORY)
    environment.reset(seed=6)
    state = start_with(environment, rules)
    answers = {seat: Answers(environment, seat) for seat in SEATS}
    sessions = {}
    for seat in SEATS:
        sessions[seat] = new_session(new_player_class(answers[seat], None, HISTORY), name="policy", wants=["legal"])
        sessions[seat].receive(Start("game", state.rules, seat, None, 1, TIME))
    asked = dict.fromkeys(SEATS, 0)
    while state.to_act and state.plies < 120:
        seat = state.to_act[0]
        asked[seat] += 1
        ask = Ask(asked[seat], state.phase, state.news(seat), CLOCK, legal=state.legal_actions(seat))
        state.act(seat, sessions[seat].receive(ask).action)
    assert min(answer.count for answer in answers.values()) > 15


class Answers:
    """A policy that chooses at random, checks that the environment shows the same, and carries the action out there."""

    def __init__(self, environment, seat):
        self.environment = environment
        self.agent = AGENT_OF[seat]
        self.rng = Random(seat)
        self.count = 0

    def __call__(self, observation, _rng):
        assert self.environment.agent_selection == self.agent
        expected = self.environment.observe(self.agent)
        assert (observation["action_mask"] == expected["action_mask"]).all()
        assert (observation["observation"] == expected["observation"]).all()
        self.count += 1
        number = choose(observation, self.rng)
        self.environment.step(number)
        return number


# --- hidden information ---------------------------------------------------------------------------


@pytest.mark.parametrize("army", ARMIES.values(), ids=ARMIES)
@pytest.mark.slow(keep=3)
def test_games_that_differ_in_hidden_pieces_give_equal_observations(army):
    pairs = [pair for seed in range(2) for seat in SEATS if (pair := make_twins(seed, seat, **army)) is not None]
    assert pairs
    for pair in pairs:
        seen = [collect_observations(pair, which, army) for which in (0, 1)]
        mine, theirs = pair.observer, OPPONENT[pair.observer]
        count = min(len(observations[mine]) for observations in seen)
        assert count > 1
        assert seen[0][mine][:count] == seen[1][mine][:count]
        assert seen[0][theirs][0] != seen[1][theirs][0]  # the opponent knows its own pieces


def collect_observations(pair, which, army):
    """Play one of two twin games; return the observations of each seat on its turns, as bytes."""
    environment = StrategoEnv(
        pair.game.name,
        options=army.get("options", ()),
        overrides=army.get("overrides", Overrides()),
        deploy=lambda _rules, seat, _rng: pair.deployments[which][seat],
    )
    first = pair.start().first
    for seed in range(100):
        environment.reset(seed=seed)
        if environment._game.play.first == first:
            break
    seen = {seat: [] for seat in SEATS}
    for seat, action in pair.actions[which]:
        observation = environment.observe(AGENT_OF[seat])
        seen[seat].append((observation["observation"].tobytes(), observation["action_mask"].tobytes()))
        assert environment.agent_selection == AGENT_OF[seat]
        environment.step(environment.table.numbers[seat][action])
    return seen


# --- actions --------------------------------------------------------------------------------------


@EVERY_RULE_SET
def test_every_action_has_one_number_and_blue_sees_the_board_rotated(rules):
    table = StrategoEnv(rules, **SETTINGS[rules], deploy=None).table
    for seat in SEATS:
        assert len(table.numbers[seat]) == len(table.actions[seat]) == table.first_placement
        assert len(set(table.placements[seat])) == 40
    assert table.size == table.first_placement + 40
    number = table.numbers["red"][Move("a4", "a5")]
    assert table.actions["blue"][number] == Move("j7", "j6")


@pytest.mark.parametrize("rules", ["barrage", "original-2000"])
def test_a_mask_is_right_if_the_plies_before_it_were_not_observed(rules):
    rng = Random(1)
    learning = LearningRules(rules)
    game = NumberedGame(learning)
    for seed in range(3):
        game.start(seed)
        while game.play.to_act:
            legal = game.play.legal_actions(game.seat)
            if rng.random() < 0.4:
                mask = game.observe()["action_mask"]
                assert (mask == learning.table.mask(game.seat, legal)).all(), game.draw()
            game.act(learning.table.numbers[game.seat][rng.choice(legal)])


@pytest.mark.parametrize("action", [-1, 10**6, None, "an action that is not legal"])
def test_an_illegal_action_is_refused_and_changes_nothing(action):
    environment = StrategoEnv("duel")
    environment.reset(seed=1)
    before = environment.observe("player_0")
    if isinstance(action, str):
        action = int((before["action_mask"] == 0).nonzero()[0][0])
    with pytest.raises(ValueError, match="action"):
        environment.step(action)
    after = environment.observe("player_0")
    assert all((before[key] == after[key]).all() for key in before)
    assert environment.agent_selection == "player_0"


def test_a_placement_on_a_used_square_is_refused():
    environment = StrategoEnv("duel", deploy=None)
    environment.reset(seed=1)
    environment.step(environment.table.first_placement)
    with pytest.raises(ValueError, match="placed on a1"):
        environment.step(environment.table.first_placement)


@pytest.mark.filterwarnings("ignore:.*[Ii]llegal")
def test_with_wrappers_an_illegal_action_loses_the_game():
    environment = env("duel")
    environment.reset(seed=1)
    observation = environment.last()[0]
    environment.step(int((observation["action_mask"] == 0).nonzero()[0][0]))
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards["player_0"] == -1


def test_a_game_without_a_board_is_refused():
    with pytest.raises(ConfigError, match=r"card-game has no board.*arbiter\.api"):
        StrategoEnv("card-game")


def test_the_position_is_drawn():
    environment = StrategoEnv("duel", render_mode="ansi")
    environment.reset(seed=1)
    pieces = environment.render().split()
    assert sorted(piece[1:] for piece in pieces if piece[0] == "R") == sorted(
        ["M", "9", "3", "3", "2", "2", "S", "B", "B", "F"]
    )
    assert StrategoEnv("duel").render() is None


def test_without_pettingzoo_the_import_names_the_extra():
    code = (
        "import sys; sys.modules['pettingzoo'] = None; import arbiter.learning.policy_bot, arbiter.learning.environment"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'stratego-arbiter[rl]'" in done.stderr.splitlines()[-1]
