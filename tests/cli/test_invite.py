"""Invitations have the address of the run in progress, unless the organiser names another one."""

import json

import pytest
from cli.command_line import StartedArbiter, call_ok, call_refused, write_tournament

from arbiter.tournament.events import LiveStatus

BOTS = ["hunter", "random", {"name": "deep", "kind": "remote"}]


@pytest.fixture
def file(tmp_path):
    return write_tournament(tmp_path, format="ladder", bots=BOTS)


def invite(file, *words):
    return json.loads(call_ok("invite", file, "deep", *words, "--json"))["address"].partition("#")[0]


def test_an_invitation_has_the_address_of_the_run_in_progress(file):
    usual = "ws://127.0.0.1:8765/"
    assert invite(file) == usual
    assert "--address URL" in call_ok("invite", file, "deep")
    with StartedArbiter("run", file, "--gateway", 0, "--serve", 0) as running:
        running.read_until("connect at")
        status = json.loads(call_ok("status", file, "--json"))
        assert status["pages"].startswith("http://127.0.0.1:")
        assert usual != status["gateway"] == invite(file)
        assert all(status[place] in call_ok("status", file) for place in ("pages", "gateway"))
        assert "of the run in progress" in call_ok("invite", file, "deep")
        assert invite(file, "--address", "wss://club.example/") == "wss://club.example/"
        assert call_ok("invite", file, "--list").endswith(f"connect at {status['gateway']}\n")
    assert invite(file) == usual, "the run was killed"


def test_an_address_that_no_client_can_connect_to_is_not_given(file, monkeypatch):
    live = "wss://0.0.0.0:8765/"
    monkeypatch.setattr("arbiter.cli.commands.invite._read_live_status", lambda _: LiveStatus(gateway=live))
    assert f"--address: is missing; {live} stands for all addresses" in call_refused("invite", file, "deep")
    assert invite(file, "--address", "wss://club.example:8765/") == "wss://club.example:8765/"
