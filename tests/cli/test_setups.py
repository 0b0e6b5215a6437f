"""Books of deployments: made from records and bots, and used in games."""

import json

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament

DUEL = ("--rules", "duel")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    path = tmp_path_factory.mktemp("book") / "book.txt"
    result = call("setups", "random", *DUEL, "--count", "6", "--seed", "3", "-o", path)
    assert result.exit_code == 0
    assert result.stderr == (f"6 deployments of duel in {path}\n")
    return path


def positions(results, folder):
    call("games", results, "--export", folder)
    headers = [json.loads(path.read_text().partition("\n")[0]) for path in folder.glob("*.jsonl")]
    return {header["id"]: header["position"] for header in headers}


def test_a_tournament_from_a_book_plays_each_position_from_both_sides(tmp_path, book, quick):
    (tmp_path / "book.txt").write_text(book.read_text())
    file = write_tournament(tmp_path, bots=quick[:2], games=4, setups="book.txt")
    call_ok("run", file)
    call_ok("verify", file)
    begun = positions(file, tmp_path / "exported")
    assert begun["hunter~random~1"] == begun["random~hunter~1"] != begun["hunter~random~2"] == begun["random~hunter~2"]
    (tmp_path / "book.txt").write_text(book.read_text().rpartition("\n\n")[0].rpartition("\n\n")[0])
    assert "setups: 6 deployments" in call_refused("run", file)


def test_a_match_from_a_book(tmp_path, book, quick_words):
    results = tmp_path / "kept.sqlite"
    call_ok("match", *quick_words[:2], *DUEL, "--games", "2", "--setups", book, "--results", results)
    begun = positions(results, tmp_path / "exported")
    assert len(set(begun.values())) == 1
    again = call_ok("setups", results)
    assert len([line for line in again.splitlines() if line]) == 1 + 2 * 4
    assert set(again.split("\n\n")[1:]) <= set(book.read_text().split("\n\n")) | {""}


def test_a_book_from_results_has_each_deployment_once(played, tmp_path):
    shown = call_ok("setups", played, played).split("\n\n")
    assert shown[0].startswith("# duel: M marshal, 9 general")
    blocks = [block for block in shown[1:] if block]
    assert len(set(blocks)) == len(blocks) > 4


def test_the_same_seed_asks_for_the_same_deployments(book):
    assert call_ok("setups", "random", *DUEL, "--count", "6", "--seed", "3") == book.read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("nosuch.jsonl",), "nosuch.jsonl: there is no such file"),
        (("hunter",), "hunter: there is no such file; to ask a bot for deployments, add --count 100"),
        (("nobot", "--count", "2"), "unknown bot 'nobot'"),
        (("random", "hunter", "--count", "2"), "--count: 2 bots are named; name one"),
        (("cards", "--count", "2", "--rules", "card-game"), "card-game has no deployments on a board"),
        (("random", "--count", "2", "--rules", "duell"), "unknown rule set 'duell'"),
    ],
)
def test_wrong_sources_of_a_book(words, complaint):
    assert complaint in call_refused("setups", *words)


def test_a_book_has_one_army(played, tmp_path, quick_words):
    results = tmp_path / "barrage.sqlite"
    call_ok("match", *quick_words[:2], "--rules", "barrage", "--games", "2", "--results", results)
    assert "is a game of barrage with another army" in call_refused("setups", played, results)
