"""Mistakes of the operator: one line of error that names the mistake, exit code 2, and no file is changed."""

import os

import pytest
from cli.command_line import call, call_ok, call_refused, write_program, write_tournament
from tournament.databases import database

GAME = "hunter~random~1"
LONG = "x" * 5000
MATCH = ("match", "hunter", "random")

COMMAND_LINES = {
    "unknown command": (("nonsense",), "No such command 'nonsense'"),
    "unknown option": (("run", "x.toml", "--job", "2"), "No such option '--job'"),
    "no file": (("run",), "Missing argument 'FILE'"),
    "one bot": (("match", "hunter"), "BOT: 1 named; name two bots, or several candidates and --baseline BOT"),
    "three bots": ((*MATCH, "stdlib"), "BOT: 3 named; name two bots, or several candidates and --baseline BOT"),
    "no record": (("verify",), "Missing argument 'RECORD|RESULTS|BUNDLE...'"),
    "unknown rule set": (("rules", "chess"), "unknown rule set 'chess': there is original,"),
    "nearly a rule set": (("rules", "orginal"), "'orginal'"),
    "unknown language": (("rules", "--lang", "xx"), "'xx' is not one of 'en', 'de',"),
    "unknown bot": (("match", "hunter", "huntre"), "unknown bot 'huntre'"),
    "no such path": (("match", "hunter", "./none.py"), "there is no program"),
    "open quotes": (("match", "hunter", "sh 'x"), "close the quotes"),
    "no bot at all": (("match", "hunter", ""), "bot '': is empty; name a sample bot, "),
    "a bot as long as a book": (("match", "hunter", LONG), "unknown bot"),
    "a path as long as a book": (("match", "hunter", f"./{LONG}"), "there is no program"),
    "rules of a match": ((*MATCH, "--rules", "chess"), "unknown rule set 'chess'"),
    "option of a rule set": ((*MATCH, "--option", "x"), "unknown option of original 'x'"),
    "odd games": ((*MATCH, "--games", "3"), "games: is 3, must be an even number from 2 to 1,000,000"),
    "negative games": ((*MATCH, "--games", "-2"), "games: is -2, must be an even number from 2 to 1,000,000"),
    "too many games": ((*MATCH, "--games", "2000000"), "games: is 2000000, must be"),
    "games that are no number": ((*MATCH, "--games", "x"), "'x' is not a valid integer"),
    "time that is none": ((*MATCH, "--time", "5x"), "--time 5x: must be seconds as BANK+INCREMENT/MOVE"),
    "negative time": ((*MATCH, "--time", "-5"), "--time -5: must be seconds"),
    "time without end": ((*MATCH, "--time", "999999"), "--time, bank_s: is 999999, must be a number from 0 to 86400"),
    "negative seed": ((*MATCH, "--seed", "-1"), "-1 is not in the range"),
    "seed too large": ((*MATCH, "--seed", "9" * 30), "seed: is 9999"),
    "no jobs": ((*MATCH, "--jobs", "0"), "0 is not in the range"),
    "an option in place of a file": (
        ("export", "none", "--gif", "--story"),
        "'--story' is an option; name a file before",
    ),
    "missing file": (("run", "none.toml"), "none.toml: there is no such file"),
    "missing record": (("verify", "none.jsonl"), "none.jsonl: cannot be read: No such file"),
    "missing results": (("standings", "none.sqlite"), "none.sqlite: there is no such file"),
    "missing source": (("replay", "none"), "none: cannot be read: No such file"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    """Return the contents of all files of a folder, except the lock."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


@pytest.mark.parametrize(("words", "said"), COMMAND_LINES.values(), ids=COMMAND_LINES.keys())
def test_command_line(here, words, said):
    assert said in call_refused(*words)
    assert list(here.iterdir()) == []


# --- the tournament file --------------------------------------------------------------------------

TWO = 'bots = [{name = "hunter"}, {name = "random"}]'
FILES = {
    "no toml": ('name = "x', "line 1"),
    "misspelt key": (f'nmae = "x"\n{TWO}', "nmae: unknown key; did you mean name?"),
    "misspelt key of time": (f'name = "x"\ntime = {{bank = 3}}\n{TWO}', "time.bank: unknown key; did you mean bank_s?"),
    "misspelt key of a bot": ('name = "x"\nbots = [{nam = "hunter"}]', "nam: unknown key; did you mean name?"),
    "missing name": (TWO, "name: is missing"),
    "wrong type": (f"name = 5\n{TWO}", "name: is 5, must be text"),
    "unknown rule set": (f'name = "x"\nrules = "chess"\n{TWO}', "rules: unknown rule set 'chess'"),
    "unknown option": (f'name = "x"\noptions = ["fast"]\n{TWO}', "options: unknown option of original 'fast'"),
    "unknown format": (f'name = "x"\nformat = "swis"\n{TWO}', "format: unknown format 'swis'"),
    "unknown points": (f'name = "x"\npoints = "many"\n{TWO}', "points: unknown points system 'many'"),
    "unknown tie-break": (f'name = "x"\ntie_breaks = ["goals"]\n{TWO}', "tie_breaks: "),
    "unknown on_illegal": (f'name = "x"\non_illegal = "laugh"\n{TWO}', 'on_illegal: is "laugh", must be "forfeit" or'),
    "negative number": (f'name = "x"\ntime = {{bank_s = -3}}\n{TWO}', "time.bank_s: is -3, must be a number from 0"),
    "not a number": (f'name = "x"\ntime = {{bank_s = nan}}\n{TWO}', "time.bank_s: is NaN, must be a number from 0"),
    "odd games": (f'name = "x"\ngames = 3\n{TWO}', "games: is 3, must be an even number from 2 to 1,000,000"),
    "bad position": (f'name = "x"\nposition = "aB"\n{TWO}', "position: 2 letters; a position has 100"),
    "no bots": ('name = "x"\nbots = []', "bots: none is entered"),
    "one bot": ('name = "x"\nbots = [{name = "hunter"}]', "bots: only hunter is entered"),
    "two of a name": (
        'name = "x"\nbots = [{name = "hunter"}, {name = "Hunter", command = ["true"]}]',
        "bots.Hunter: 2 bots are named hunter and Hunter",
    ),
    "unknown sample bot": (
        'name = "x"\nbots = [{name = "hunter"}, {name = "mine"}]',
        "bots.mine: unknown sample bot 'mine'",
    ),
    "missing program": (
        'name = "x"\nbots = [{name = "hunter"}, {name = "mine", command = ["./none"]}]',
        "bots.mine: command: there is no program",
    ),
    "a path as a name": ('name = "x"\nbots = [{name = "../x"}]', 'name: is "../x", must be 1 to 40 of'),
    "no UTF-8": (b'name = "\xff"', "byte 9 is not UTF-8"),
}


@pytest.mark.parametrize(("text", "said"), FILES.values(), ids=FILES.keys())
def test_tournament_file(here, text, said):
    file = here / "bad.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    told = call_refused("run", "bad.toml")
    assert told.startswith("arbiter: bad.toml: ")
    assert said in told
    assert list(here.iterdir()) == [file]


PROGRAMS = "[[bots]]|name = 'a'|command = ['./none']|[[bots]]|name = 'b'|command = ['./none']"
SEVERAL = {
    "nmae = 'x'|name = 'y'|games = 3|[time]|bank = 3|[[bots]]|name = 'hunter'|[[bots]]|name = 'mine'|memory_mb = 'much'": (
        '1: nmae: unknown key|3: games: is 3|5: time.bank: unknown key|10: bots.mine.memory_mb: is "much"'
    ),
    "name = 'y'|format = 'x'|points = 'x'|tie_breaks = ['x']|anchor = 'x=5'|[time]|start_s = 0|[rules]|base = 'x'|"
    + PROGRAMS: "7: time.start_s|4: tie_breaks|5: anchor|9: rules.base|3: points|2: format|11: bots.a|14: bots.b",
}
"""Lines of a tournament file, and the starts of the lines that name its mistakes."""


@pytest.mark.parametrize(("lines", "starts"), SEVERAL.items(), ids=["faults", "names"])
def test_all_mistakes_of_a_kind_are_reported_together(here, lines, starts):
    (here / "bad.toml").write_text(lines.replace("|", "\n"))
    result = call("run", "bad.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    for line, start in zip(result.stderr.splitlines(), starts.split("|"), strict=True):
        assert line.startswith(f"arbiter: bad.toml: line {start}")


@pytest.mark.parametrize("time", ["0", "0+1"])
@pytest.mark.parametrize("words", [MATCH, ("check", "random", "--rules", "duel")])
def test_a_clock_without_time(here, words, time):
    assert "time.bank_s: is 0, must be more than 0" in call_refused(*words, "--time", time)


def test_program_without_run_bit(tmp_path):
    write_program(tmp_path / "mine", "#!/bin/sh\n", runs=False)
    file = write_tournament(tmp_path, bots=("hunter", {"name": "mine", "command": ["./mine"]}))
    assert call_refused("run", file).endswith(f"is not executable; run: chmod +x {tmp_path}/mine")
    assert not (tmp_path / "results").exists()


def test_long_argument_of_a_bot_is_not_a_path(tmp_path):
    write_program(tmp_path / "mine", "#!/bin/sh\nexit 1\n")
    bots = ("hunter", {"name": "mine", "command": ["./mine", f"{LONG}.json"]})
    assert "program did not start 2" in call_ok("run", write_tournament(tmp_path, bots=bots))


def test_folder_in_place_of_a_tournament(here):
    assert call_refused("run", ".") == "arbiter: .: is a folder; name the TOML file in it"


# --- results --------------------------------------------------------------------------------------


def results_of(tournament):
    return tournament.parent / "results" / "club.sqlite"


READERS = (("standings",), ("games",), ("verify",))


@pytest.mark.parametrize("words", [*READERS, ("replay",)])
def test_tournament_without_results(tmp_path, words):
    file = write_tournament(tmp_path)
    game = (GAME,) if words == ("replay",) else ()
    assert f"`arbiter run {file}` plays the tournament" in call_refused(*words, file, *game)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("words", READERS)
def test_folder_without_results(tmp_path, words):
    assert call_refused(*words, tmp_path) == f"arbiter: {tmp_path}: contains no results file (*.sqlite)"


@pytest.mark.parametrize("words", READERS)
def test_folder_of_several_results(club, words):
    results_of(club).with_name("other.sqlite").write_bytes(results_of(club).read_bytes())
    assert call_refused(*words, club.parent / "results").endswith("name one of club.sqlite, other.sqlite")


def replace_by_foreign(path):
    path.unlink()
    database(path, "CREATE TABLE recipe (name TEXT)")


BROKEN = {
    "foreign": (replace_by_foreign, "is not a results file of this arbiter"),
    "version": (
        lambda path: database(path, "PRAGMA user_version = 99"),
        "has format 99, but this arbiter reads format 1; use the arbiter that wrote it",
    ),
    "text": (lambda path: path.write_text("dear diary"), "is not a results file of this arbiter"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:9000]), "is damaged"),
}


@pytest.mark.parametrize("words", [("run",), *READERS])
@pytest.mark.parametrize(("damage", "said"), BROKEN.values(), ids=BROKEN)
def test_damaged_results(club, words, damage, said):
    damage(results_of(club))
    before = contents(club.parent)
    told = call_refused(*words, club)
    assert told.startswith(f"arbiter: {results_of(club)}: ")
    assert said in told
    assert contents(club.parent) == before


@pytest.mark.parametrize("words", READERS)
def test_empty_results(club, words):
    results_of(club).write_bytes(b"")
    assert "is not a results file of this arbiter" in call_refused(*words, club)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rules": "barrage"}, 'rules: "duel" before, "barrage" now'),
        ({"games": 2}, "games: 4 before, 2 now, which leaves out 6 of them"),
        ({"seed": 5}, "seed: 2026 before, 5 now"),
        ({"points": "ucc"}, "points."),
        ({"time": {"bank_s": 1}}, "time.bank_s: 60 before, 1 now"),
        ({"bots": ("hunter", "random")}, "bots: stdlib is gone"),
    ],
)
def test_changed_tournament_that_no_longer_fits(club, settings, said):
    write_tournament(club.parent, **{"bots": ("hunter", "random", "stdlib"), "games": 4, "seed": 2026} | settings)
    before = contents(club.parent)
    told = call_refused("run", club)
    assert "does not fit the 12 stored games" in told
    assert said in told
    assert contents(club.parent) == before


def test_results_in_an_unwritable_folder(club):
    told = call_refused("run", club, "--results", "/proc/results")
    assert told == "arbiter: /proc/results: cannot be made: No such file or directory; name another results folder"


def test_results_under_a_file(club):
    assert "name another results folder" in call_refused("run", club, "--results", club / "results")


def test_results_in_a_file_that_contains_no_results(club):
    before = club.read_bytes()
    assert f"{club}: " in call_refused("run", club, "--results", club)
    assert club.read_bytes() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="allowed: root reads and writes everything")
def test_unreadable_file(club):
    results_of(club).chmod(0)
    assert "cannot be opened" in call_refused("standings", club)
    club.chmod(0)
    assert f"{club}' is not readable" in call_refused("run", club)


# --- games and records ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("games", "--bot", "nobody"), "unknown bot 'nobody': there is hunter, random, stdlib"),
        (("games", "--bot", "hunter", "--bot", "random", "--bot", "stdlib"), "name one or two"),
        (("games", "--ending", "boredom"), "'boredom' is not one of 'flag_taken',"),
        (("games", "--round", "0"), "0 is not in the range"),
        (("games", "--round", "9" * 30), "is not in the range"),
        (("games", "--id", "nope"), "there is no game 'nope'"),
        (("games", "--export", "/proc/nope"), "cannot be written: No such file or directory"),
        (("standings", "--format", "pdf"), "'pdf' is not one of 'table', 'markdown',"),
        (("replay",), "name a game; `arbiter games"),
        (("replay", "nope"), "there is no game 'nope'"),
        (("replay", GAME, "--at", "4001"), "ply 4001: the game has plies 0 to "),
        (("replay", GAME, "--at", "9" * 5000), "is neither the number of a ply nor 'end'"),
        (("replay", GAME, "--at", "-1"), "is neither the number of a ply nor 'end'"),
        (("replay", GAME, "--as", "green"), "'green' is not one of 'arbiter', 'red', 'blue'"),
        (("replay", GAME, "--speed", "0"), "0.0 is not in the range"),
        (("replay", GAME, "--speed", "nan"), "nan is not a number"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_missing_game(club, words, said):
    before = contents(club.parent)
    assert said in call_refused(words[0], club, *words[1:])
    assert contents(club.parent) == before


def test_replay_of_records(club, tmp_path):
    call("games", club, "--export", tmp_path)
    record = tmp_path / f"{GAME}.jsonl"
    assert "is not a results file" in call_refused("replay", record, GAME)
    whole = record.read_bytes()
    record.write_bytes(whole[:-20])
    told = call_refused("replay", record)
    assert told.startswith(f"arbiter: {record}: line ")
    assert "is cut off or not part of a record" in told
    lines = whole.splitlines()
    record.write_bytes(b"\n".join([*lines[:4], lines[3]]))
    assert "act 4 cannot be shown" in call("replay", record).stderr.splitlines()[-1]


def test_replay_of_a_file_that_is_not_a_record(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n")
    assert "line 1 is cut off or not part of a record" in call_refused("replay", path)
