"""A person as an entrant of a tournament: invited by the command, ready in the browser, and listed with the session."""

import json
import socket
import subprocess
import sys

import pytest
from browser.player import Person
from browser.window import PATIENCE_S
from cli.command_line import call_ok

FILE = """
name = "Club"
games = 2
remote = true
seed = 1

[time]
setup_s = 600
bank_s = 900

[draws]
max_plies = 4

[people]
aids = "none"

[[bots]]
name = "anna"
human = true

[[bots]]
name = "random"
"""


def find_port():
    with socket.create_server(("127.0.0.1", 0)) as place:
        return place.getsockname()[1]


@pytest.fixture
def club(tmp_path):
    """Run a tournament with a person; yield the file and the link of the person."""
    file = tmp_path / "club.toml"
    file.write_text(FILE.replace("games = 2", 'games = 2\nrules = "duel"'))
    port = find_port()
    words = call_ok("invite", file, "anna", "--address", f"http://127.0.0.1:{port}").split()
    (link,) = (word for word in words if word.startswith("http"))
    command = [sys.executable, "-m", "arbiter", "run", str(file), "--gateway", str(port)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while "connect at" not in (line := process.stdout.readline()):
        assert line
    yield process, file, link
    process.kill()
    process.communicate(timeout=PATIENCE_S)


def test_an_invited_person_plays_its_games(club, page):
    process, file, link = club
    person = Person(page, "mouse")
    person.open(link)
    for _ in range(2):
        person.button("ready")
        page.wait("arbiterPage.setup")
        assert person.play() == 3
    page.wait("document.querySelector('#line').textContent.includes('closed')")
    page.driver.get("about:blank")
    assert process.wait(PATIENCE_S) == 0
    games = [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]
    assert {game["ending"] for game in games} == {"ply_limit"}
    (known,) = [json.loads(line) for line in call_ok("invite", file, "--list", "--json").splitlines()]
    assert (known["bot"], known["scope"], known["state"]) == ("anna", "play", "active")
    call_ok("invite", file, known["id"], "--revoke")
    (known,) = [json.loads(line) for line in call_ok("invite", file, "--list", "--json").splitlines()]
    assert known["state"] == "revoked"
