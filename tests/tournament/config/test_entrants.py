"""Entrants that several tournaments share: tables, faults of both files at once, paths, and contacts, which are private."""

from pathlib import Path

import msgspec
import pytest

from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_config import rebase_command
from arbiter.tournament.config.tournament import load_tournament

ENTRANTS = """\
[[bots]]
name = "deep"
title = "Deep Thought"
command = ["./deep/bot.py", "--level", "3"]
contact = "ada@example.org"
country = "Norway"

[[bots]]
name = "hunter"
club = "Köln"

[[bots]]
name = "random"
memory_mb = 64
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write entrants.toml and events/club.toml or club.toml, and change to their folder."""
    monkeypatch.chdir(tmp_path)
    Path("deep").mkdir()
    Path("deep/bot.py").touch()

    def put(lines, entrants=ENTRANTS, path="club.toml"):
        Path("entrants.toml").write_text(entrants, "utf-8")
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(f'name = "Club"\n{lines}\n', "utf-8")
        return Path(path)

    return put


def refuse(path):
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    return str(caught.value).splitlines()


CHOICES = [
    ("", ["deep", "hunter", "random"]),
    ('bots = ["hunter", "deep"]', ["hunter", "deep"]),
    ('bots = ["hunter", { name = "cards" }]', ["hunter", "cards"]),
    ('[[bots]]\nname = "random"\n[[bots]]\nname = "stdlib"', ["random", "stdlib"]),
]


@pytest.mark.parametrize(("lines", "names"), CHOICES)
def test_an_event_names_its_bots(write, lines, names):
    tournament = load_tournament(write(f'entrants = "entrants.toml"\n{lines}'))
    assert [program.name for program in tournament.programs] == names
    memory = {"random": 64}
    assert [bot.memory_mb for bot in tournament.file.bots] == [memory.get(name, 2048) for name in names]


def test_a_table_changes_an_entrant_for_one_event(write):
    lines = 'entrants = "entrants.toml"\nformat = "swiss"\nbots = ["hunter", { name = "deep", absent = [1] }]'
    hunter, deep = load_tournament(write(lines)).file.bots
    assert (hunter.club, deep.title, deep.absent) == ("Köln", "Deep Thought", [1])


def test_paths_are_relative_to_the_file_of_the_entrants(write):
    file = write('entrants = "../entrants.toml"\nbots = ["deep", "hunter"]', path="events/club.toml")
    deep, _ = load_tournament(file).programs
    assert Path(deep.argv[1]).resolve() == Path("deep/bot.py").resolve()
    assert load_tournament(file).file.list_secret_files(file.parent) == (Path("events/../entrants.toml"),)


@pytest.mark.parametrize(
    ("command", "moved"),
    [
        (["./deep/bot.py", "--level"], ["../deep/bot.py", "--level"]),
        (["deep/bot.py"], ["../deep/bot.py"]),
        (["native"], ["../native"]),
        (["python3", "deep/bot.py"], ["python3", "../deep/bot.py"]),
        (["ucc-bridge", "--repair", "native", "native"], ["ucc-bridge", "--repair", "../native", "native"]),
        (["gone/bot.py"], ["gone/bot.py"]),
        (["/bin/sh", "-c", "true"], ["/bin/sh", "-c", "true"]),
        ([], []),
    ],
)
def test_commands_for_another_folder(write, command, moved):
    write("")
    Path("native").touch()
    assert rebase_command(command, Path(), Path("events")) == moved


def test_no_contact_leaves_the_file(write):
    file = write('entrants = "entrants.toml"')
    assert b"ada@" not in msgspec.json.encode(load_tournament(file).file)
    file = write('[[bots]]\nname = "hunter"\ncontact = "bob@example.org"\n[[bots]]\nname = "random"')
    assert b"bob@" not in msgspec.json.encode(load_tournament(file).file)


FAULTS = [
    (
        ENTRANTS.replace("memory_mb = 64", "memry_mb = 64").replace('"ada@example.org"', "7").replace("./deep", "./deap"),
        'gmaes = 4\nentrants = "entrants.toml"\nbots = ["deep", "huntr", "random"]',
        [
            "entrants.toml: line 5: bots.deep.contact: is 7, must be text of 1 to 200 printable characters in quotes",
            "entrants.toml: line 14: bots.random.memry_mb: unknown key; did you mean memory_mb?",
            "club.toml: line 4: bots: unknown entrant 'huntr': did you mean 'hunter'?",
            "club.toml: line 2: gmaes: unknown key; did you mean games?",
        ],
    ),
    (ENTRANTS.replace("./deep", "./deap"), 'entrants = "entrants.toml"', ["entrants.toml: line 2: bots.deep: command: there is no program"]),
    (
        f'{ENTRANTS}[[bots]]\nname = "Deep"\n',
        'entrants = "entrants.toml"\nbots = ["hunter", "random"]',
        ["entrants.toml: line 16: bots.Deep: 2 entrants are named deep and Deep; give each its own name"],
    ),
    (ENTRANTS, 'bots = ["deep"]', ['club.toml: line 2: bots: contains "deep", but the file names no entrants; add entrants = "entrants.toml", or']),
    (ENTRANTS, 'entrants = "gone.toml"', ["club.toml: entrants: gone.toml: there is no such file"]),
    ("[[bots]", 'entrants = "entrants.toml"', ["club.toml: entrants: entrants.toml: line 1, column"]),
    ("bots = 3", 'entrants = "entrants.toml"', ["entrants.toml: line 1: bots: is 3, must be a list of tables"]),
    ('[[bots]]\nnme = "x"', 'entrants = "entrants.toml"', ["entrants.toml: line 2: bots.#1.nme: unknown key; did"]),
]  # fmt: skip


@pytest.mark.parametrize(("entrants", "lines", "faults"), FAULTS)
def test_faults_of_both_files_are_reported_together(write, entrants, lines, faults):
    found = refuse(write(lines, entrants))
    assert [line[: len(fault)] for line, fault in zip(found, faults, strict=False)] == faults
