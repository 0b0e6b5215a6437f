"""A person as an entrant of a tournament: invited by the command, ready in the browser, and listed with the session."""

import json
import re
import subprocess
import sys
from contextlib import ExitStack

import pytest
from browser.player import Person
from browser.window import PATIENCE_S
from cli.command_line import call_ok

pytestmark = pytest.mark.heavy
FILE = """
name = "Club"
rules = "duel"
games = 2
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
kind = "person"

[[bots]]
name = "random"
"""


@pytest.fixture
def club(tmp_path):
    """Run a tournament with a person; yield the file and the link of the person."""
    file = tmp_path / "club.toml"
    file.write_text(FILE)
    with ExitStack() as running:
        club = Club(file, running)
        yield club, json.loads(call_ok("invite", file, "anna", "--json"))["address"]


class Club:
    """A tournament that can be started again."""

    def __init__(self, file, running):
        self.file = file
        self.running = running
        self.start(0)

    def start(self, port):
        command = [sys.executable, "-m", "arbiter", "run", str(self.file), "--gateway", str(port)]
        self.process = subprocess.Popen(
            command, cwd=self.file.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.running.callback(self.kill, self.process)
        while "connect at" not in (line := self.process.stdout.readline()):
            assert line
        self.port = re.search(r":(\d+)/;", line)[1]

    def kill(self, process):
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def play_games(person):
    """Play both games of a pair; return the number of actions in each."""
    actions = []
    for _ in range(2):
        person.button("ready")
        person.window.wait("arbiterPage.setup")
        actions.append(person.play())
    return actions


def check_games(file, actions):
    """Check that the stored games have the actions of a person; a scout may find the flag before the limit."""
    games = [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]
    assert {game["ending"] for game in games} <= {"ply_limit", "flag_taken"}
    for played, game in zip(actions, games, strict=True):
        moves = 2 * (played - 1)  # the deployment is an action too
        assert abs(moves - game["plies"]) <= (game["ending"] == "flag_taken"), (actions, games)


def test_an_invited_person_plays_its_games(club, page):
    club, link = club
    file = club.file
    person = Person(page, "mouse")
    person.open(link)
    actions = play_games(person)
    page.wait("document.querySelector('#line').textContent.includes('closed')")
    page.driver.get("about:blank")
    assert club.process.wait(PATIENCE_S) == 0
    check_games(file, actions)
    (known,) = [json.loads(line) for line in call_ok("invite", file, "--list", "--json").splitlines()]
    assert (known["name"], known["scope"], known["state"]) == ("anna", "play", "active")
    call_ok("invite", file, known["id"], "--revoke")
    (known,) = [json.loads(line) for line in call_ok("invite", file, "--list", "--json").splitlines()]
    assert known["state"] == "revoked"


@pytest.mark.slow
def test_a_person_stays_admitted_when_the_arbiter_is_started_again(club, page):
    club, link = club
    person = Person(page, "mouse")
    person.open(link)
    person.button("ready")
    page.wait("arbiterPage.setup")
    person.play(2)
    club.kill(club.process)
    page.wait("document.querySelector('#line').classList.contains('lost')")
    club.start(club.port)
    page.wait("!document.querySelector('#line').classList.contains('lost')")
    page.wait("document.querySelector('.status').textContent.includes('does not count')")
    actions = play_games(person)
    page.driver.get("about:blank")
    page.console_messages()
    assert club.process.wait(PATIENCE_S) == 0
    check_games(club.file, actions)
