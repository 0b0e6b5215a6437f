"""`first` of a tournament file: which seat moves first, by agreement or by a random draw."""

from pathlib import Path

import pytest
from drawing import letters_of
from tournament.test_secrets import NO_SECRET, make_manifest, make_tournament

from arbiter.errors import ConfigError
from arbiter.games.chance import SeededChance
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.execution.executor import GameSpecs, make_game_spec, strip_header
from protocol.words import SEATS

EXAMPLES = Path(__file__).parent.parent.parent / "tournaments"
DRAWN = """
    10 .. .. .. .. .. .. .. .. b5 bF
     1 rF r3 .. .. .. .. .. .. .. ..
"""


def list_openings(tournament, secret=NO_SECRET):
    """Return the bot that moves first and the seat that does so, for each game by the number of its pair."""
    key = make_manifest(tournament, secret).key
    makes = GameSpecs(tournament, key, dict.fromkeys(tournament.file.bot_names))
    openings = {}
    for fixture in tournament.schedule(key).fixtures:
        spec = makes.make(fixture)
        first = spec.settings.game.start(SeededChance(spec.settings.seed)).first
        assert spec.header.first in (first, None)
        assert tournament.file.first is None or spec.header.game().first == first
        openings.setdefault(fixture.pair, []).append((fixture.bots[first], first))
    return list(openings.values())


@pytest.mark.parametrize("rules", ["original", "clone-wars", "card-game"])
@pytest.mark.parametrize("first", SEATS)
def test_a_seat_moves_first_by_agreement(rules, first):
    openings = list_openings(make_tournament(rules=rules, first=first, games=10))
    assert {seat for pair in openings for _, seat in pair} == {first}


@pytest.mark.parametrize("rules", ["original", "clone-wars", "card-game"])
def test_a_lot_gives_each_bot_the_first_move_in_one_game_of_a_pair(rules):
    openings = list_openings(make_tournament(rules=rules, first="lot", games=40))
    assert all(len({bot for bot, _ in pair}) == len({*pair}) == 2 for pair in openings)
    assert all(len({seat for _, seat in pair}) == 1 for pair in openings)
    assert {seat for pair in openings for _, seat in pair} == set(SEATS)


def test_seed_and_secret_repeat_all_lots():
    tournament = make_tournament(rules="original", first="lot", games=40)
    assert list_openings(tournament, "1" * 32) == list_openings(tournament, "1" * 32)
    assert list_openings(tournament, "1" * 32) != list_openings(tournament, "2" * 32)


def test_the_clone_wars_draw_the_same_lots_by_default():
    drawn, default = (make_tournament(rules="clone-wars", games=40, first=first) for first in ("lot", None))
    assert list_openings(drawn) == list_openings(default)


def test_lots_decide_in_games_with_deployments_from_a_book(tmp_path):
    text = (EXAMPLES / "duplicate.toml").read_text().replace("\n\n", '\nfirst = "lot"\n\n', 1)
    (tmp_path / "duplicate.toml").write_text(text)
    (tmp_path / "duel-setups.txt").write_bytes((EXAMPLES / "duel-setups.txt").read_bytes())
    openings = list_openings(load_tournament(tmp_path / "duplicate.toml"))
    assert {seat for pair in openings for _, seat in pair} == set(SEATS)


def test_a_game_is_played_again_with_the_same_seat_first():
    tournament = make_tournament(rules="original", first="blue")
    key = make_manifest(tournament, NO_SECRET).key
    (fixture, *_) = tournament.schedule(key).fixtures
    header = GameSpecs(tournament, key, dict.fromkeys(tournament.file.bot_names)).make(fixture).header
    players = dict.fromkeys(tournament.file.bot_names)
    again = make_game_spec(strip_header(header), header.game(), tournament.file.time, 0, players)
    assert again.settings.game.start(SeededChance(again.settings.seed)).first == "blue"


def test_a_position_names_the_seat_or_leaves_it_to_the_tournament():
    letters = letters_of(DRAWN)
    openings = list_openings(make_tournament(rules="original", position=letters, first="blue"))
    assert {seat for pair in openings for _, seat in pair} == {"blue"}
    with pytest.raises(ConfigError, match=r'^first: is "lot", but the position names red; remove one of them$'):
        make_tournament(rules="original", position=f"{letters} red", first="lot")
