"""Many games as arrays: ply by ply they are those of games that are played one after the other."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from games.random_players import RepetitivePlayer

from arbiter.api import Overrides
from arbiter.learning.batch import GameBatch, can_batch
from arbiter.learning.game import LearningRules, SeparateGames
from arbiter.learning.vector import BATCH_FROM, StrategoVectorEnv

GAMES = 4
EMPTY = ". " * 10 + "\n"
WATER = ". . ~ ~ . . ~ ~ . .\n"


def draw_board(top, bottom):
    """Draw a position from its rows above and below the lakes."""
    return top + EMPTY * (4 - top.count("\n")) + WATER * 2 + EMPTY * (4 - bottom.count("\n")) + bottom


CHASE = draw_board(
    "bF bB . . . . . . . .\nbB . b4 . . b5 . b2 . .\n", ". . RM . . R9 . R2 . .\nRF RB . . . . . . . .\n"
)
NO_MOVES = draw_board("b4 bB . . . . . . . bF\nbB . . . . . . . . .\n", "RF . R2 . . . . . . .\n")
WEAK = draw_board(". . . . . . . . . .\n. . bF b2 . . . . . .\n. . R4 . . . . . . .\n", "RF . . . . . . . . .\n")
EQUALS = draw_board("bF . . . . . . . . .\n. . . b4 . . . . . .\n. . . R4 . . . . . .\n", "RF . . . . . . . . .\n")
LIMITS = Overrides(no_attack_plies=40, max_plies=50)
CASES = [
    pytest.param("original", {"history": 2}, 40, set(), id="original", marks=pytest.mark.heavy),
    pytest.param("us", {"options": ("aggressor-advantage", "silent-defence"), "history": 1}, 80, set(), id="us"),
    pytest.param("isf", {}, 40, set(), id="isf", marks=pytest.mark.heavy),
    pytest.param("clone-wars", {}, 40, set(), id="clone-wars", marks=pytest.mark.heavy),
    pytest.param("duel", {"overrides": Overrides(no_attack_plies=0)}, 80, set(), id="duel"),
    pytest.param("barrage", {"history": 3}, 80, set(), id="barrage"),
    pytest.param("barrage", {"overrides": LIMITS}, 150, {"no_attack_limit", "ply_limit"}, id="limits"),
    pytest.param("original", {"position": NO_MOVES}, 8, {"no_moves"}, id="no moves"),
    pytest.param("original", {"position": WEAK}, 90, {"flag_taken", "no_pieces"}, id="flag and pieces"),
    pytest.param("original", {"position": EQUALS}, 60, {"both_immobile"}, id="both immobile"),
    *(
        pytest.param(
            "original",
            {"position": CHASE, "overrides": Overrides(more_squares=scope, two_squares=turns)},
            120,
            {"refused"},
            id=f"{scope} {turns}",
            marks=marks,
        )
        for scope, turns, marks in (
            ("chase", 3, ()),
            ("game", 2, ()),
            ("book", 1, pytest.mark.heavy),
            ("chase", 0, pytest.mark.heavy),
            ("off", 3, pytest.mark.heavy),
        )
    ),
]


@pytest.mark.parametrize(("rules", "settings", "plies", "expected"), CASES)
def test_each_ply_is_that_of_separate_games(rules, settings, plies, expected):
    """Play at random and repetitively; `expected` are endings, and moves that repetition rules refuse."""
    learning = LearningRules(rules, **settings)
    assert can_batch(learning)
    separate, batch = SeparateGames(learning, GAMES), GameBatch(learning, GAMES)
    for games in (separate, batch):
        games.start([*range(GAMES)])
    rng = np.random.default_rng(1)
    players = [RepetitivePlayer(Random(row)) if row % 2 or "refused" in expected else None for row in range(GAMES)]
    seen = Counter()
    for _ in range(plies):
        masks = assert_equal(separate, batch, learning.layout.names)
        seen["refused"] += int(batch._moves.list_legal(batch._view()).sum() - masks.sum())
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(1)
        for row, player in enumerate(players):
            if player is not None:
                game = separate._games[row]
                actions[row] = learning.table.numbers[game.seat][player.choose(game.play)]
        ends, others = separate.act(actions), batch.act(actions)
        assert ends.keys() == others.keys()
        for row, end in ends.items():
            assert (others[row].reward, others[row].info) == (end.reward, end.info)
            assert all((others[row].observation[key] == shown).all() for key, shown in end.observation.items())
            seen[end.info["ending"]] += 1
    assert expected <= {what for what, count in seen.items() if count}


def assert_equal(separate, batch, names):
    """Compare what both show; return the masks."""
    (planes, masks), (others, more) = separate.write(), batch.write()
    assert (separate.sides == batch.sides).all()
    assert (masks == more).all(), separate.draw(int((masks != more).any(1).argmax()))
    assert (planes == others).all(), {names[plane] for plane in (planes != others).nonzero()[-1]}
    assert separate.draw(0) == batch.draw(0)
    return masks


@pytest.mark.parametrize(
    ("rules", "settings"),
    [("clone-wars-powers", {}), ("infiltrator", {}), ("us", {"options": ("rescue",)}), ("barrage", {"deploy": None})],
)
def test_powers_and_placements_are_played_separately(rules, settings):
    assert not can_batch(LearningRules(rules, **settings))


def test_a_large_vector_environment_has_the_games_of_a_small_one():
    small, large = StrategoVectorEnv(2, "duel"), StrategoVectorEnv(BATCH_FROM, "duel")
    before, after = small.reset(seed=4)[0], large.reset(seed=4)[0]
    for _ in range(30):
        assert all((after[key][:2] == shown).all() for key, shown in before.items())
        actions = after["action_mask"].argmax(1)
        before, after = small.step(actions[:2])[0], large.step(actions)[0]
