"""Games with powers and options against the slow reference: legal actions, facts and endings."""

from collections import Counter

import pytest
from drawing import drawn
from games.close_battles import every_game, start_battle
from games.power_reference import PowerReference
from games.power_text import news, short
from games.random_players import PowerPlayer, RepetitivePlayer

from protocol.words import Move

SEEDS = 15
MOST_SEEDS = 200  # for powers that are rare in the first games


def text_of(play, action):
    """Write an action as the reference does: an attack has an `x`."""
    board = play.tables.ruleset.board
    word = short(action)
    attacks = isinstance(action, Move) and play.position.board[board.square[action.dst]]
    return word.replace("-", "x") if attacks else word


def assert_in_step(play, reference, choose, seen):
    while play.to_act:
        (seat,) = play.to_act
        words = {text_of(play, action): action for action in play.legal_actions(seat)}
        assert (seat, play.phase) == (reference.turn, reference.phase), drawn(play)
        assert sorted(words) == sorted(reference.acts()), drawn(play)
        action = choose(play)
        word = text_of(play, action)
        seen[play.phase, type(action)] += 1
        where = drawn(play)
        assert news(play.act(seat, action)) == reference.act(word), f"{word}\n{where}"
        assert (play.plies, play.quiet_plies) == (reference.plies, reference.quiet), f"{word}\n{where}"
        outcome = play.outcome and (play.outcome.winner, play.outcome.ending)
        assert outcome == reference.ending(), f"{word}\n{where}"


class Mixed:
    """A player that uses powers, and otherwise chases and moves back and forth."""

    def __init__(self, rng):
        self.rng = rng
        self.lover, self.chaser = PowerPlayer(rng, powers=0.5), RepetitivePlayer(rng, attacks=0.05)

    def choose(self, play):
        if play.phase == "turn" and self.rng.random() < 0.7:
            return self.chaser.choose(play)
        return self.lover.choose(play)


@every_game
@pytest.mark.slow(keep=3)
def test_games_from_close_positions(rules, options):
    seen = Counter()
    for seed in range(MOST_SEEDS):
        play, pieces, limits, rng = start_battle(rules, options, seed)
        if seed >= SEEDS and all(seen[power.phase, power.action] > 2 for power in play.tables.ruleset.powers):
            break
        if play.outcome is None:
            reference = PowerReference(rules, options, pieces, play.first, **limits)
            chooser = rng.choice((PowerPlayer(rng), Mixed(rng)))
            assert_in_step(play, reference, chooser.choose, seen)
    for power in play.tables.ruleset.powers:
        assert seen[power.phase, power.action] > 2, f"these games do not test {power.action}"
