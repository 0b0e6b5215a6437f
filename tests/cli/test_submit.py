"""Programs are handed in with `arbiter submit`, examined in the sandbox while games are played, and listed."""

import gzip
import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from cli.command_line import PATIENCE_S, StartedArbiter, call, call_ok, call_refused, write_program, write_tournament

from arbiter.preflight.examination import SelectedRules
from arbiter.preflight.examine import plan
from arbiter.submissions.client import Checked, Server

OPEN = {"format": "ladder", "submissions": {"open": True}}
FAULTY = "#!/usr/bin/env python3\nimport sys\nprint('broken on purpose', file=sys.stderr)\nsys.exit(3)\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARBITER_TOKEN", raising=False)
    return tmp_path


def invite(file, bot="mybot"):
    return json.loads(call_ok("invite", file, bot, "--upload", "--json"))["token"]


@pytest.mark.usefixtures("sandboxes")
def test_programs_are_checked_step_by_step_and_listed(folder, monkeypatch):
    file = write_tournament(folder, max_games=2, format="ladder", submissions={"open": True, "promote": "auto"})
    call_ok("new-bot", "mybot.py")
    write_program(folder / "faulty.py", FAULTY)
    with StartedArbiter("run", file, "--serve", 0, "--sandbox", "full", "--jobs", 1) as running:
        running.read_until("watch it at")
        address = re.search(r"http://\S+/", running.lines[-1])[0]
        token = invite(file)
        monkeypatch.setenv("ARBITER_TOKEN", token)
        good = call("submit", address, "./mybot.py")
        again = call("submit", address, "./mybot.py")
        own = call_ok("submit", address, "--list")
        back = call_ok("submit", address, "--rollback", 2)
        forth = call_ok("submit", address, "--promote", 2)
        faulty = call("submit", address, "./faulty.py")
        hostile = hand_in(Server(address, token), gzip.compress(b"no archive"), '["./mybot.py"]')
        monkeypatch.setenv("ARBITER_TOKEN", "sab_wrong")
        refused = call_refused("submit", address, "./mybot.py")
    assert (good.exit_code, good.stderr) == (0, ""), good.stdout
    assert good.stdout.startswith("mybot: handed in as number 1\n")
    assert good.stdout.endswith("\nall steps passed\n")
    tasks = plan([SelectedRules("duel")])
    steps = [line.split()[:2] for line in good.stdout.splitlines() if re.match(r" +\d+  ", line)]
    checks = [[str(task.number), task.step.name] for task in tasks]
    assert steps == [["0", "unpack"], ["0", "entry"], *checks, ["0", "parent"]]
    assert re.search(r"\d wins?, \d draws?, \d loss(es)? against mybot-1, in games that do not count\n", again.stdout)
    assert re.fullmatch(r"   2  plays     .*\n   1  passed    .*\n", own)
    assert (back, forth) == ("mybot-1 plays instead of mybot-2\n", "mybot-2 plays instead of mybot-1\n")
    assert faulty.exit_code == 1
    assert "broken on purpose" in faulty.stdout
    assert "the token is unknown" in refused
    assert "cannot be unpacked" in hostile.why
    assert "broken on purpose" in call_ok("submissions", file, 3)
    listed = [json.loads(line) for line in call_ok("submissions", file, "--json").splitlines()]
    assert [(one["state"], one["version"], one["plays"]) for one in listed] == [
        ("passed", "mybot-1", False),
        ("passed", "mybot-2", True),
        ("failed", None, False),
        ("refused", None, False),
    ]
    entries = folder / "results" / "club.submissions" / "entries"
    assert (entries / listed[0]["digest"] / "bot" / "mybot.py").stat().st_mode & 0o222 == 0


def hand_in(server, archive, command):
    """Hand in an archive of any kind; return what is known of it when its check is over."""
    found = server.ask(Checked, "", archive, {"X-Arbiter-Command": command})
    limit = time.monotonic() + PATIENCE_S
    while not found.is_over:
        if time.monotonic() > limit:
            raise TimeoutError
        time.sleep(0.2)
        found = server.ask(Checked, f"/{found.number}")
    return found


def test_submissions_need_a_sandbox_a_ladder_and_encryption(folder):
    file = write_tournament(folder, **OPEN)
    assert "run only in a sandbox" in call_refused("run", file, "--sandbox", "process")
    other = write_tournament(folder, name="other", submissions={"open": True})
    assert 'submissions.open: is for format "ladder"' in call_refused("run", other)
    misspelt = write_tournament(folder, name="misspelt", format="ladder", submissions={"open": True, "per_dya": 3})
    assert "per_dya" in call_refused("run", misspelt)
    assert "per_day" in call_refused("run", misspelt)


@pytest.mark.usefixtures("sandboxes")
def test_tokens_are_not_sent_over_a_network_without_encryption(folder):
    file = write_tournament(folder, **OPEN)
    assert "could read the tokens" in call_refused("run", file, "--sandbox", "full", "--serve", "0.0.0.0:0")


def test_what_cannot_be_handed_in_is_explained_before_anything_is_sent(folder, monkeypatch):
    call_ok("new-bot", "mybot.py")
    there = "https://127.0.0.1:9/"
    assert "ARBITER_TOKEN: is not set" in call_refused("submit", there, "./mybot.py")
    monkeypatch.setenv("ARBITER_TOKEN", "sab_secret")
    assert "the token does not belong" in call_refused("submit", f"{there}#sab_secret", "./mybot.py")
    assert "could read the token" in call_refused("submit", "http://club.example/", "./mybot.py")
    assert "no address" in call_refused("submit", "club.example", "./mybot.py")
    assert "part of the arbiter" in call_refused("submit", there, "hunter")
    assert "try again later" in call_refused("submit", there, "./mybot.py")


def test_authors_are_invited_only_if_submissions_are_open(folder):
    file = write_tournament(folder, **OPEN)
    assert invite(file, "somebody").startswith("sab_")
    assert "scope" in call_ok("invite", file, "--list", "--json")
    assert "cannot name a bot" in call_refused("invite", file, "some body", "--upload")
    closed = write_tournament(folder, name="closed", format="ladder")
    assert "takes no programs" in call_refused("invite", closed, "deep", "--upload")
    assert call_ok("submissions", file) == "Nobody has handed in a program.\n"


class Odd(BaseHTTPRequestHandler):
    """A server that answers with a body that is not what the command expects."""

    body = b""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        """Print nothing."""


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"max_mb": "x"}', b'{"max_mb": null}', b"[" * 100_000, b'"\xff"']
)
def test_odd_answers_of_a_server_are_explained(folder, monkeypatch, body):
    call_ok("new-bot", "mybot.py")
    monkeypatch.setenv("ARBITER_TOKEN", "sab_secret")
    monkeypatch.setattr(Odd, "body", body)
    with ThreadingHTTPServer(("127.0.0.1", 0), Odd) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        refused = call_refused("submit", f"http://127.0.0.1:{server.server_port}/", "./mybot.py")
        server.shutdown()
        thread.join()
    assert "programs are not handed in there" in refused
