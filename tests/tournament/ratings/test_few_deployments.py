"""Bots with few deployments are named."""

from tournament.stored_games import game

from arbiter.tournament.ratings.deployments import count_few_deployments

FEW = [{"a1": "flag"}, {"a2": "flag"}]


def test_bots_with_few_deployments():
    """One bot chooses from two deployments, the other has a new one in each game."""
    games = [game("a", "b", "red", "flag_taken", pair=number) for number in range(1, 9)]
    shown = [{"red": FEW[number % 2], "blue": {f"a{number}": "flag"}} for number in range(8)]
    assert count_few_deployments(zip(games, shown, strict=True)) == {"a": 2}
    assert count_few_deployments((game, {}) for game in games) == {}
