"""Programs are submitted with `arbiter submit`, examined in the sandbox while games are played, and listed."""

import gzip
import json
import os
import re
import shutil
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest
from cli.command_line import PATIENCE_S, StartedArbiter, call, call_ok, call_refused, write_program, write_tournament

import sample_bots
from arbiter.cli.commands import submit as commands_submit
from arbiter.preflight.examination import SelectedRules
from arbiter.preflight.examine import plan
from arbiter.submissions.client import Checked, SubmissionServer
from sample_bots.catalogue import TEMPLATES

OPEN = {"format": "ladder", "submissions": {"open": True}}
COMPILERS = ("cc", "c++", "rustc", "go", "javac", "mcs", "node")
FAULTY = "#!/usr/bin/env python3\nimport sys\nprint('broken on purpose', file=sys.stderr)\nsys.exit(3)\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands_submit, "_ASK_EVERY_S", 0.05)
    monkeypatch.delenv("ARBITER_TOKEN", raising=False)
    return tmp_path


def invite(file, bot="mybot"):
    return json.loads(call_ok("invite", file, bot, "--submit", "--json"))["token"]


def bring_a_wheel(folder):
    """Let the bot in a folder need a package that is only in its wheels."""
    (folder / "wheels").mkdir()
    with ZipFile(folder / "wheels" / "counting-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("counting.py", "TEN = 10\n")
    bot = folder / "mybot.py"
    bot.write_text(bot.read_text().replace("import json\n", "import json\nimport counting\n", 1))


@contextmanager
def served(file, monkeypatch):
    """Run a ladder, and become an author with a token for it."""
    with StartedArbiter("run", file, "--serve", 0, "--sandbox", "full", "--jobs", 1) as running:
        running.read_until("watch it at")
        monkeypatch.setenv("ARBITER_TOKEN", invite(file))
        yield re.search(r"http://\S+/", running.lines[-1])[0]


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.heavy
def test_programs_are_checked_step_by_step_and_listed(folder, monkeypatch):
    settings = {"open": True, "promote": "auto", "per_day": 6}
    file = write_tournament(folder, max_games=2, format="ladder", submissions=settings)
    call_ok("new-bot", "mybot.py")
    bring_a_wheel(folder)
    with served(file, monkeypatch) as address:
        good = call("submit", address, "./mybot.py")
        again = call("submit", address, "./mybot.py")
        assert (again.exit_code, again.stderr) == (0, ""), again.stdout
        own = call_ok("submit", address, "--list")
        back = call_ok("submit", address, "--rollback", 2)
        forth = call_ok("submit", address, "--promote", 2)
    assert (good.exit_code, good.stderr) == (0, ""), good.stdout
    assert good.stdout.startswith("mybot: submitted as number 1\n")
    assert good.stdout.endswith("\nall steps passed\n")
    tasks = plan([SelectedRules("duel")])
    steps = [line.split()[:2] for line in good.stdout.splitlines() if re.match(r" +\d+  ", line)]
    checks = [[str(task.number), task.step.name] for task in tasks]
    assert steps == [["0", "unpack"], ["0", "wheels"], ["0", "unpack"], ["0", "entry"], *checks, ["0", "parent"]]
    assert re.search(r"\d wins?, \d draws?, \d loss(es)? against mybot-1, in games that do not count\n", again.stdout)
    assert re.fullmatch(r"   2  plays     .*\n   1  passed    .*\n", own)
    assert (back, forth) == ("mybot-1 plays instead of mybot-2\n", "mybot-2 plays instead of mybot-1\n")
    listed = [json.loads(line) for line in call_ok("submissions", file, "--json").splitlines()]
    played = [(one["state"], one["version"], one["plays"]) for one in listed]
    assert played == [("passed", "mybot-1", False), ("passed", "mybot-2", True)]
    assert listed[0]["digest"] == listed[1]["digest"]  # the ladder next to the bot does not belong to it
    entries = folder / "results" / "club.submissions" / "entries"
    assert (entries / listed[0]["digest"] / "bot" / "mybot.py").stat().st_mode & 0o222 == 0


@pytest.mark.usefixtures("sandboxes")
def test_programs_that_fail_are_listed_with_the_reason(folder, monkeypatch):
    file = write_tournament(folder, max_games=2, **OPEN)
    write_program(folder / "mybot.py", FAULTY)
    with served(file, monkeypatch) as address:
        faulty = call("submit", address, "./mybot.py")
        hostile = submit(
            SubmissionServer(address, os.environ["ARBITER_TOKEN"]), gzip.compress(b"no archive"), '["./mybot.py"]'
        )
        monkeypatch.setenv("ARBITER_TOKEN", "sab_wrong")
        refused = call_refused("submit", address, "./mybot.py")
    assert faulty.exit_code == 1
    assert "broken on purpose" in faulty.stdout
    assert "the token is unknown" in refused
    assert "cannot be unpacked" in hostile.why
    assert "broken on purpose" in call_ok("submissions", file, 1)
    listed = [json.loads(line) for line in call_ok("submissions", file, "--json").splitlines()]
    assert [(one["state"], one["version"], one["plays"]) for one in listed] == [
        ("failed", None, False),
        ("refused", None, False),
    ]


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize(
    "template",
    [
        pytest.param(one, id=one.file, marks=pytest.mark.heavy if one.language == "c" else pytest.mark.slow)
        for one in TEMPLATES
    ],
)
def test_each_starter_is_submitted(folder, monkeypatch, template):
    bot = folder / "bot"
    bot.mkdir()
    monkeypatch.chdir(bot)
    if (tool := (template.build or template.command).split()[0]) in COMPILERS and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    shutil.copy(Path(sample_bots.__path__[0]) / template.file, f"mybot{Path(template.file).suffix}")
    words = {"source": f"./mybot{Path(template.file).suffix}", "program": "./mybot"}  # as `new-bot` prints them
    command = template.command.format(**words)
    build = [] if template.build is None else ["--build", template.build.format(**words)]
    file = write_tournament(folder, max_games=2, format="ladder", submissions={"open": True, "pairs": 0})
    with served(file, monkeypatch) as address:
        done = call("submit", address, command, *build)
    assert (done.exit_code, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("\nall steps passed\n")
    assert re.search(r"^ +0  build +ok", done.stdout, re.MULTILINE) or not build


def submit(server, archive, command):
    """Submit an archive of any kind; return what is known of it when its check is over."""
    found = server.ask(Checked, "", archive, {"X-Arbiter-Command": command})
    limit = time.monotonic() + PATIENCE_S
    while not found.is_over:
        if time.monotonic() > limit:
            raise TimeoutError
        time.sleep(0.05)
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


def test_what_cannot_be_submitted_is_explained_before_anything_is_sent(folder, monkeypatch):
    call_ok("new-bot", "mybot.py")
    there = "https://127.0.0.1:9/"
    assert "ARBITER_TOKEN: is not set" in call_refused("submit", there, "./mybot.py")
    monkeypatch.setenv("ARBITER_TOKEN", "sab_secret")
    assert "the token does not belong" in call_refused("submit", f"{there}#sab_secret", "./mybot.py")
    assert "could read the token" in call_refused("submit", "http://club.example/", "./mybot.py")
    assert "no address" in call_refused("submit", "club.example", "./mybot.py")
    assert "part of the arbiter" in call_refused("submit", there, "hunter")
    assert "name the program that --build makes" in call_refused("submit", there, "", "--build", "make")
    assert "try again later" in call_refused("submit", there, "./mybot.py")


def test_authors_are_invited_only_if_submissions_are_open(folder):
    file = write_tournament(folder, **OPEN)
    assert invite(file, "somebody").startswith("sab_")
    assert call_ok("invite", file, "--list").startswith("author of somebody  ")
    assert "cannot name a bot" in call_refused("invite", file, "some body", "--submit")
    closed = write_tournament(folder, name="closed", format="ladder")
    assert "takes no programs" in call_refused("invite", closed, "deep", "--submit")
    assert "takes no programs" in call_refused("invite", closed, "eva", "--organise")
    assert "exclude each other" in call_refused("invite", file, "eva", "--organise", "--submit")
    made = json.loads(call_ok("invite", file, "eva", "--organise", "--address", "https://club.example/", "--json"))
    assert (made["name"], made["scope"]) == ("eva", "organise")
    assert call_ok("invite", file, "eva", "--revoke") == "revoked 1 invitation: organiser eva\n"
    assert made["address"].startswith("https://club.example/organise/#sab_")
    assert call_ok("submissions", file) == "Nobody has submitted a program.\n"


class Odd(BaseHTTPRequestHandler):
    """A server that answers with a body that is not what the command expects."""

    body = b""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        """Print nothing."""


def answer_with(body, monkeypatch, *words):
    """Call `arbiter submit` with words at a server that answers everything with a body; return its result."""
    monkeypatch.setenv("ARBITER_TOKEN", "sab_secret")
    monkeypatch.setattr(Odd, "body", body)
    with ThreadingHTTPServer(("127.0.0.1", 0), Odd) as server:
        thread = Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        result = call("submit", f"http://127.0.0.1:{server.server_port}/", *words)
        server.shutdown()
        thread.join()
    return result


def test_versions_in_quarantine_are_listed_with_their_games(monkeypatch):
    own = {"number": 3, "state": "passed", "created": "2026-11-26T19:00:00+00:00", "crashed_in": ["a~b~1", "c~a~2"]}
    listed = answer_with(json.dumps({"programs": [own]}).encode(), monkeypatch, "--list")
    assert listed.stdout == "   3  quarantine 2026-11-26T19:00:00+00:00  crashed in a~b~1, c~a~2\n"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"max_mb": "x"}', b'{"max_mb": null}', b"[" * 100_000, b'"\xff"']
)
def test_odd_answers_of_a_server_are_explained(folder, monkeypatch, body):
    call_ok("new-bot", "mybot.py")
    refused = answer_with(body, monkeypatch, "./mybot.py")
    assert refused.exit_code == 2
    assert "programs are not submitted there" in refused.stderr
