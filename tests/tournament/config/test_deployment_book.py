from pathlib import Path

import pytest
from games.test_deployments import DRAWN, OTHER
from msgspec.structs import replace
from tournament.stored_games import game
from tournament.tournaments import manifest, tournament_file

from arbiter.errors import ConfigError
from arbiter.games.board.deployments import position_of
from arbiter.games.catalogue import find_game
from arbiter.tournament.config.deployment_book import choose_deployments, load_book, write_book
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.execution.executor import GameSpecs
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.results.manifest import resume_manifest
from arbiter.tournament.standings.history import History

DUEL = find_game("duel")


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(f"{DRAWN}\n{OTHER}\n{OTHER.replace('M..', '..M')}", "utf-8")
    return load_book(path, DUEL)


def make_specs(book, fixtures):
    """Make the games of fixtures as an arena does."""
    tournament = replace(resolve(tournament_file(rules="duel"), Path()), deployments=book)
    specs = GameSpecs(tournament, 17)
    return [specs.make(one) for one in fixtures]


def test_all_positions_are_used_before_one_repeats(book):
    drawn = [position_of(*choose_deployments(book, 5, number), DUEL) for number in range(1, 13)]
    assert len(set(drawn[:6])) == 6
    assert drawn[:6] == drawn[6:]
    assert drawn != [position_of(*choose_deployments(book, 6, number), DUEL) for number in range(1, 13)]


def test_both_games_of_a_pair_have_the_same_starting_position(book):
    one, two, later = make_specs(
        book,
        [
            make_fixture("hunter", "random", 1, 1),
            make_fixture("random", "hunter", 1, 1),
            make_fixture("hunter", "random", 2, 1),
        ],
    )
    assert one.header.position == two.header.position != later.header.position
    assert one.settings.game.start(None).to_act == ("red",)
    assert one.header.game().position == one.settings.game.position


def test_a_player_sees_only_its_own_pieces_of_the_position(book):
    (order,) = make_specs(book, [make_fixture("hunter", "random", 1, 1)])
    play = order.settings.game.start(None)
    for seat in ("red", "blue"):
        facts = [one.fact for one in play.opening if seat in one.to and one.fact.__struct_config__.tag == "revealed"]
        assert {fact.seat for fact in facts} == {seat}
        assert len(facts) == 10


def test_a_changed_book_is_refused_if_games_are_stored(book):
    before = replace(manifest(rules="duel"), deployments=book)
    stored = [game("hunter", "random", "red", "flag_taken")]
    assert resume_manifest(before, replace(before), History(tuple(stored))).deployments == book
    for other in ((), book[:2], tuple(reversed(book))):
        with pytest.raises(
            ConfigError, match=r"setups: 3 deployments \([0-9a-f]{8}\) before, (none|\d deployments .*) now"
        ):
            resume_manifest(before, replace(before, deployments=other), History(tuple(stored)))


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        (DRAWN, "duel", "book.txt: has 1 deployment; a game takes two"),
        ("", "duel", "book.txt: has 0 deployments; a game takes two"),
        (DRAWN, "barrage", "book.txt: line 1: "),
        (DRAWN, "card-game", "card-game has no deployments on a board"),
    ],
)
def test_invalid_books(tmp_path, text, name, complaint):
    path = tmp_path / "book.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_book(path, find_game(name))
    assert complaint in str(caught.value)


def test_unreadable_books(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.txt: cannot be read: No such file"):
        load_book(tmp_path / "none.txt", DUEL)
    (tmp_path / "latin.txt").write_bytes(b"# \xe9")
    with pytest.raises(ConfigError, match="byte 3 is not UTF-8"):
        load_book(tmp_path / "latin.txt", DUEL)


def test_a_book_and_a_position_exclude_each_other(tmp_path):
    with pytest.raises(ConfigError, match="already start from a position"):
        load_book(tmp_path / "any.txt", find_game("duel", position="a" * 40 + "aa__aa__aa" * 2 + "a" * 40))


def test_write_and_read_a_book(tmp_path, book):
    path = tmp_path / "again.txt"
    path.write_text(write_book(book, DUEL), "utf-8")
    assert load_book(path, DUEL) == book
