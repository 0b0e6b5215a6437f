"""Programs that change: `run`, `match`, `rerun` and `standings` notice it."""

import json
import re

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament

from arbiter.tournament import programs
from arbiter.tournament.results.store import Store


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "mine").mkdir()
    call_ok("new-bot", tmp_path / "mine" / "mine.py")
    return tmp_path / "mine" / "mine.py"


@pytest.fixture
def file(tmp_path, bot, quick):
    """Play a tournament of the bot, and add games to it."""
    bots = ({"name": "mine", "command": ["mine/mine.py"]}, quick[1])
    call_ok("run", write_tournament(tmp_path, bots=bots, games=2))
    return write_tournament(tmp_path, bots=bots, games=4)


def change(bot):
    bot.write_text(bot.read_text() + "# another version\n")


def open_store(file):
    return Store.read(file.parent / "results" / "club.sqlite")


def list_programs(store):
    return [(seen.bot, seen.how) for seen in store.programs()]


def test_each_game_has_the_digests_of_its_programs(file):
    with open_store(file) as store:
        assert list_programs(store) == [("mine", "first"), ("random", "first")]
        digests = {seen.bot: seen.found.digest for seen in store.programs()}
        for game in store.games():
            assert (game.red_program, game.blue_program) == (digests[game.red], digests[game.blue])


def test_a_run_with_a_changed_program_stops(file, bot):
    with open_store(file) as store:
        old = store.programs()[0].found.digest
    change(bot)
    text = call_refused("run", file)
    assert f"the program of mine has changed from {old[:16]} to " in text
    assert "(mine.py) since its 2 stored games; restore it, or continue with the new one with --accept-new mine" in text
    with open_store(file) as store:
        assert len(store.games()) == 2
        assert list_programs(store) == [("mine", "first"), ("random", "first")]


def test_a_changed_program_is_accepted_and_marked(file, bot):
    change(bot)
    call_ok("run", file, "--accept-new", "mine", "--accept-new", "random")
    with open_store(file) as store:
        assert list_programs(store)[-1] == ("mine", "accepted")
        new = store.programs()[-1].found.digest
        assert sum(new in (game.red_program, game.blue_program) for game in store.games()) == 2
    text = call_ok("standings", file)
    assert "the games of mine come from 2 versions of its program: 2 with " in text
    versions = {
        one["bot"]: one["versions"] for one in map(json.loads, call_ok("standings", file, "--json").splitlines())
    }
    assert versions == {"mine": 2, "random": 1}
    assert "12 games" not in call_ok("run", file)  # it is known now
    assert ": ok: 4 games" in call_ok("verify", file)


def test_only_bots_of_the_tournament_can_be_accepted(file):
    assert "--accept-new: unknown bot 'mime': did you mean 'mine'?" in call_refused("run", file, "--accept-new", "mime")


def test_a_program_that_changes_during_a_tournament_is_recorded(tmp_path, bot, quick, monkeypatch):
    """The bot changes a file that it may read, as an organiser would who edits it during the run."""
    book = tmp_path / "book.txt"
    book.write_text("1")
    bot.write_text(f"with open({str(book)!r}, 'a') as book:\n    book.write('1')\n{bot.read_text()}")
    monkeypatch.setattr(programs, "_CHECK_SHARE", 0)  # look for changes before the second game too
    bots = ({"name": "mine", "command": ["mine/mine.py"], "read": ["book.txt"]}, quick[1])
    file = write_tournament(tmp_path, bots=bots, games=2, jobs=1)
    result = call("run", file)
    assert result.exit_code == 0
    assert "the program of mine has changed" in result.stderr
    assert "(read0:) during the run" in result.stderr
    with open_store(file) as store:
        assert list_programs(store)[-1] == ("mine", "during the run")
        assert len({game.red_program if game.red == "mine" else game.blue_program for game in store.games()}) == 2


@pytest.fixture
def match(tmp_path, bot, quick_words):
    """Return a function that returns the words of a match of the bot."""
    start = ("match", bot, quick_words[1], "--rules", "duel", "--results", tmp_path / "kept.sqlite")
    return lambda *words: (*start, *words)


def test_a_match_with_a_changed_program_begins_a_series(tmp_path, match, bot):
    call_ok(*match("--games", "2"))
    change(bot)
    text = call_ok(*match("--games", "4"))
    assert "series 2 begins: the program of mine has changed from " in text
    assert "(mine.py); files that do not belong to a bot can be named in .arbiterignore" in text
    assert "4 games; sandbox" in text
    assert "6 games, 4 of them played before" in call_ok(*match("--games", "6"))
    listed = [json.loads(line) for line in call_ok("games", tmp_path / "kept.sqlite", "--json").splitlines()]
    assert sum(game["id"].startswith("s2~") for game in listed) == 6
    assert len(listed) == 8
    assert len(call_ok("games", tmp_path / "kept.sqlite", "--json", "--series", "1").splitlines()) == 2
    rows = [json.loads(line) for line in call_ok("standings", tmp_path / "kept.sqlite", "--json").splitlines()]
    assert [(row["series"], row["games"]) for row in rows] == [(1, 2), (1, 2), (2, 6), (2, 6)]
    assert "Series 2: Standings" in call_ok("standings", tmp_path / "kept.sqlite", "--series", "2")
    assert "has no series 3; it has 2" in call_refused("standings", tmp_path / "kept.sqlite", "--series", "3")
    assert ": ok: 8 games" in call_ok("verify", tmp_path / "kept.sqlite")
    assert "same game" in call("rerun", tmp_path / "kept.sqlite", "s2~mine~random~1", "--trust-commands").stdout


def test_a_match_continues_with_an_accepted_program(tmp_path, match, bot):
    call_ok(*match("--games", "2"))
    change(bot)
    assert "4 games, 2 of them played before" in call_ok(*match("--games", "4", "--accept-new", "mine"))


def test_a_match_continues_the_series_of_the_same_programs(tmp_path, match, bot):
    before = bot.read_text()
    call_ok(*match("--games", "2"))
    change(bot)
    call_ok(*match("--games", "2"))
    bot.write_text(before)
    assert "4 games, 2 of them played before" in call_ok(*match("--games", "4"))


def test_a_match_ends_when_a_program_changes(tmp_path, match, bot):
    book = bot.parent / "book.txt"
    bot.write_text(f"with open({str(book)!r}, 'a') as book:\n    book.write('1')\n{bot.read_text()}")
    book.write_text("1")
    result = call(*match("--games", "8", "--jobs", "1"))
    assert result.exit_code == 130
    assert "the program of mine has changed" in result.stderr
    # Looking for changes takes at most a fiftieth of the time, so another game may begin before the change is found.
    assert re.search(r"stopped: [1-7] of 8 games are stored", result.stderr)


@pytest.mark.heavy
def test_several_matches_in_a_file(tmp_path, quick_words):
    new, old = (quick_words[1].replace("random=", f"{name}=") for name in ("new", "old"))
    kept = ("--rules", "duel", "--games", "2", "--results", tmp_path / "kept.sqlite")
    call_ok("match", new, old, *kept)
    text = call_ok("match", new, quick_words[2], *kept)
    assert "series 2 begins: bots: new and old before, new and stdlib now" in text
    assert "series 3 begins: time.bank_s: 60" in call_ok("match", new, quick_words[2], *kept, "--time", "9")
    bots = [json.loads(line)["bot"] for line in call_ok("standings", tmp_path / "kept.sqlite", "--json").splitlines()]
    assert set(bots[:2]) == {"new", "old"}
    assert set(bots[2:4]) == set(bots[4:]) == {"new", "stdlib"}


def test_a_rerun_with_another_program_warns(file, bot):
    assert call("rerun", file, "mine~random~1", "--trust-commands").stderr == ""
    change(bot)
    result = call("rerun", file, "mine~random~1", "--trust-commands")
    assert "arbiter: the game was played by mine with the digest " in result.stderr
    assert "same game" in result.stdout
