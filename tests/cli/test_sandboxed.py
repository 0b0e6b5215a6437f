"""The sandbox in the command line: selection, notices, errors, hidden files, and `doctor`."""

import json
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cli.command_line import NOTICE, StartedArbiter, call, call_ok, call_refused, write_program, write_tournament

from arbiter.record import read_record

BOTS = Path(__file__).parent.parent / "bots"


@pytest.fixture
def folder(tmp_path):
    """Return a folder that everybody may read: bots run as another user if the arbiter runs as root."""
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def bare(monkeypatch, folder):
    """Simulate a machine without bubblewrap."""
    monkeypatch.setenv("PATH", str(folder))


@pytest.mark.usefixtures("sandboxes")
def test_a_bot_plays_itself_in_sandboxes():
    told = call_ok("match", "random", "random", "--rules", "duel", "--games", "2", "--sandbox", "full")
    assert "no_start" not in told


@pytest.mark.usefixtures("sandboxes")
def test_a_program_of_another_arena_plays_through_its_bridge(folder):
    (folder / "ucc.py").write_bytes((BOTS / "foreign" / "ucc.py").read_bytes())
    foreign = {"name": "foreign", "command": ["ucc-bridge", "--repair", "./ucc.py", "17"]}
    file = write_tournament(folder, bots=(foreign, "random"), rules="original", draws={"max_plies": 20})
    call_ok("run", file, "--sandbox", "full")
    games = [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]
    assert [game["ending"] for game in games] == ["ply_limit", "ply_limit"]
    assert "Traceback" not in call_ok("games", file, "--id", "foreign~random~1", "--log")


BOOK = """
3322222222
5554444333
8877766665
FBBBBBBSM9

3322222222
5554444333
8877766665
BFBBBBBSM9
"""


def spying_tournament(folder, *more):
    """Write a tournament with a bot that tries to read the file next to it, its entrants, the book and the results."""
    (folder / "book.txt").write_text(BOOK)
    (folder / "entrants.toml").write_text('[[bots]]\nname = "random"\ncontact = "eve@example.org"\n')
    for name in ("attacks_files.py", "attacker.py", "base.py"):
        shutil.copy(BOTS / name, folder)
    secrets = [str(folder / name) for name in ("club.toml", "entrants.toml", "book.txt", "results/club.sqlite", *more)]
    spy = {
        "name": "spy",
        "command": [sys.executable, "-ES", "./attacks_files.py", "reads", *(f"@{path}" for path in secrets)],
    }
    walker = {"name": "walker", "command": [sys.executable, "-ES", "./base.py"]}
    limits = {"max_plies": 6}
    files = {"setups": "book.txt", "entrants": "entrants.toml"}
    return write_tournament(folder, bots=(spy, walker), rules="original", draws=limits, **files), secrets


LIVE = [f"results/club.sqlite.live{game}" for game in ("", "/spy~walker~1.jsonl")]


@pytest.mark.usefixtures("sandboxes")
def test_all_files_of_the_arbiter_are_hidden_and_the_records_contain_the_sandbox(folder):
    file, _ = spying_tournament(folder, "events.jsonl", *LIVE[1:])
    done = call("run", file, "--sandbox", "full", "--live", "--events", folder / "events.jsonl")
    assert done.exit_code == 0
    where = f"in {folder}; give each bot a folder of its own"
    assert done.stderr.splitlines() == [f"arbiter: spy, walker can read files of other bots {where}"]
    assert done.stdout.startswith("Club night: 2 games; sandbox: full; ")
    assert '{"got": []}' in call_ok("games", file, "--id", "spy~walker~1", "--log")
    (folder / "events.jsonl").unlink()
    assert '{"got": []}' in call("rerun", file, "spy~walker~1", "--sandbox", "full", "--log").stdout
    call("games", file, "--export", folder / "records")
    records = [read_record(path.read_bytes()) for path in (folder / "records").iterdir()]
    assert [record.header.sandbox for record in records] == ["full", "full"]


@pytest.mark.parametrize(("isolation", "got"), [("full", []), ("process", ["tcp", "udp"])])
def test_only_a_plain_process_reaches_the_pages(folder, played, request, isolation, got):
    if isolation == "full":
        request.getfixturevalue("sandboxes")
    for name in ("attacks_network.py", "attacker.py", "base.py"):
        shutil.copy(BOTS / name, folder)
    with StartedArbiter("serve", played, "--at", 0) as serving:
        serving.read_until("is served at")
        port = re.search(r"http://127.0.0.1:(\d+)/", serving.lines[-1])[1]
        words = ["./attacks_network.py", port, port, "/nowhere", "nowhere"]
        bots = [
            {"name": name, "command": [sys.executable, "-ES", *command]}
            for name, command in (("spy", words), ("walker", ["./base.py"]))
        ]
        file = write_tournament(folder, bots=bots, rules="original", draws={"max_plies": 4})
        assert call("run", file, "--sandbox", isolation).exit_code == 0
    assert json.dumps({"got": got}) in call_ok("games", file, "--id", "spy~walker~1", "--log")


def test_a_plain_process_reads_all_files(folder):
    file, secrets = spying_tournament(folder, *LIVE)
    told = call("run", file, "--live")
    assert "bots outside a sandbox could read the games in progress" in told.stderr
    assert json.dumps({"got": secrets}) in call_ok("games", file, "--id", "spy~walker~1", "--log")


def test_without_a_sandbox_a_notice_is_printed(folder, quick):
    done = call("run", write_tournament(folder, bots=quick[:2]), "--sandbox", "process")
    assert done.exit_code == 0
    assert done.stdout.startswith("Club night: 2 games; sandbox: process; ")
    assert NOTICE.startswith("arbiter: bots run without a sandbox, as requested")


@pytest.mark.usefixtures("bare")
def test_sample_bots_are_trusted(folder):
    done = call("match", "hunter", "random", "--rules", "duel", "--games", "2", "--sandbox", "full")
    assert done.exit_code == 2
    assert done.stderr.startswith("arbiter: --sandbox full: bubblewrap is not installed; install bubblewrap")


@pytest.mark.usefixtures("bare")
def test_an_untrusted_bot_is_refused_without_a_sandbox(folder):
    mine = {"name": "mine", "command": [str(write_program(folder / "mine", "#!/bin/sh\n"))]}
    line = call_refused("run", write_tournament(folder, bots=("hunter", mine)), "--sandbox", "full")
    assert "install bubblewrap" in line
    assert not (folder / "results").exists()


def test_declared_paths_must_exist(folder):
    mine = {"name": "mine", "command": [str(write_program(folder / "mine", "#!/bin/sh\n"))], "read": ["books"]}
    line = call_refused("run", write_tournament(folder, bots=("hunter", mine)))
    assert f"bots.mine: read: there is no {folder}/books; name files and folders that the bot may read" in line


@pytest.mark.usefixtures("sandboxes")
def test_doctor_on_a_machine_with_a_sandbox():
    assert call_ok("doctor").startswith("This machine supports the sandbox\n")
    (found,) = map(json.loads, call_ok("doctor", "--json").splitlines())
    assert (found["sandbox"], found["why"], found["cure"]) == ("full", None, None)
    assert {"bubblewrap", "user namespaces", "seccomp", "user", "open files"} <= set(found)
    per_bot = (
        "memory of a bot",
        "files of a bot",
        "processes of a bot",
        "busy off turn",
        "stopping a bot",
        "processor clock",
    )
    assert all(found[name] for name in ("control groups", *per_bot))


@pytest.mark.usefixtures("bare")
def test_doctor_on_a_machine_without_a_sandbox():
    done = call("doctor")
    assert done.exit_code == 1
    assert "bubblewrap is not installed" in done.stdout
    (found,) = map(json.loads, call("doctor", "--json").stdout.splitlines())
    assert found["sandbox"] == "process"
    assert found["cure"].startswith("install bubblewrap (apt")


@pytest.fixture
def sent(folder):
    """Return results from somebody else, who supplies a bot that reports what it can read, and a private file."""
    (folder / "private").mkdir()
    write_program(folder / "private" / "key", "a private key")
    (folder / "event").mkdir()
    for name in ("attacks_files.py", "attacker.py", "base.py"):
        shutil.copy(BOTS / name, folder / "event")
    key = folder / "private" / "key"
    spy = {"name": "spy", "command": [sys.executable, "-ES", "./attacks_files.py", "reads", f"@{key}"]}
    walker = {"name": "walker", "command": [sys.executable, "-ES", "./base.py"]}
    file = write_tournament(folder / "event", bots=(spy, walker), rules="original", draws={"max_plies": 6})
    assert call("run", file, "--sandbox", "full", "--keep-logs").exit_code == 0
    return file.parent / "results" / "club.sqlite", key


CODE = "import sys; sys.stderr.write(open(sys.argv[1]).read())"
CHANGES = {
    "declared files": {"$.tournament.bots[0].read": ["{key}"]},
    "a folder around a word of a command": {"$.tournament.bots[0].command": [sys.executable, "-c", CODE, "{key}"]},
    "the folder of a command": {"$.folder": "{folder}", "$.tournament.bots[0].command": [sys.executable, "-c", CODE]},
    "a program": {"$.tournament.bots[0].command": ["{key}"]},
}


def change_head(results, *changes):
    """Change the manifest of results by SQL; each change is a path and a value."""
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        for path, value in changes:
            connection.execute("UPDATE series SET manifest = json_set(manifest, ?, json(?))", (path, value))


@pytest.mark.usefixtures("sandboxes")
def test_results_of_others_show_no_files_to_bots_without_consent(sent):
    results, key = sent
    words = ("rerun", results, "spy~walker~1", "--sandbox", "full", "--log")
    assert '{"got": []}' in call(*words, "--trust-commands").stdout
    asked = call(*words)
    assert (asked.exit_code, asked.stdout) == (2, "")
    assert f"{results}: contains commands that would run in a sandbox: spy: " in asked.stderr
    original = results.read_bytes()
    program = shutil.copy("/bin/true", results.parent.parent)
    change_head(results, ("$.tournament.bots[0].command", json.dumps([str(program)])))
    assert f"{results}: contains commands that would run in a sandbox: spy: " in call(*words).stderr
    for changes in CHANGES.values():
        results.write_bytes(original)
        for path, value in changes.items():
            filled = json.dumps(value).replace("{key}", str(key)).replace("{folder}", str(key.parent))
            change_head(results, (path, filled))
        result = call(*words)
        told = result.stderr.splitlines()[-1]
        assert (result.exit_code, result.stdout) == (2, "")
        assert (
            f"{results}: contains commands that would run in a sandbox, and would show bots files outside {results.parent.parent}: spy: "
            in told
        )
        assert str(key.parent) in told
        assert "if you trust them, add --trust-commands" in told
    results.write_bytes(original)
    change_head(results, ("$.tournament.bots[0].read", json.dumps([str(key)])))
    assert f'{{"got": ["{key}"]}}' in call(*words, "--trust-commands").stdout
