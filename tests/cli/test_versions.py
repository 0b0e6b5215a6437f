"""Submitted programs become versions of a ladder: promoted, rolled back, and their authors banned."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
import trio
from cli.command_line import PATIENCE_S, StartedArbiter, call, call_ok, call_refused, write_program, write_tournament
from msgspec.structs import replace
from submissions.submitted import store_program
from tournament.databases import database

from arbiter.serve.results import ServedResults
from arbiter.submissions.examiner import examine_all
from arbiter.submissions.store import OVER, ContestedGame, Submissions
from arbiter.submissions.versions import name_version, promote, roll_back
from arbiter.submissions.watch import VersionWatch
from arbiter.tournament.config.tournament import load_tournament

GAMES = 2  # of each run


@pytest.fixture
def ladder(tmp_path, monkeypatch):
    """Write a ladder with open submissions, and return it."""
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return Ladder(tmp_path)


class Ladder:
    """A ladder of two sample bots and of an author, who submits the same program again and again."""

    def __init__(self, folder, bots=("random", "stdlib")):
        self.folder = folder
        self.bots = bots
        self.games = 0
        self.promote = "author"
        self.results = folder / "results" / "club.sqlite"
        self.submissions = Submissions(self.results.with_suffix(".submissions"))
        call_ok("new-bot", "mybot.py")
        self.write()

    def write(self, **settings):
        submissions = {"open": True, "promote": self.promote}
        settings = {"max_games": max(self.games, 2), "submissions": submissions, "draws": {"max_plies": 20}} | settings
        self.file = write_tournament(self.folder, bots=self.bots, format="ladder", **settings)

    def submit(self, author="deep", state="passed", text=None):
        """Store a program whose check is over; return its number."""
        return store_program(self.submissions, author, Path("mybot.py").read_text() if text is None else text, state)

    def play(self):
        """Play some games more; return how many games each bot has played in them."""
        before = self.count()
        self.games += GAMES
        self.write()
        result = call("run", self.file, "--sandbox", "full", "--jobs", 1)
        assert result.exit_code == 0, result.stderr
        return {bot: games - before.get(bot, 0) for bot, games in self.count().items() if games > before.get(bot, 0)}

    def play_without_sandbox(self):
        """Play the first games of sample bots."""
        self.submissions.folder.mkdir(parents=True)
        self.file = write_tournament(self.folder, bots=self.bots, format="ladder", max_games=GAMES)
        call_ok("run", self.file)

    def count(self):
        """Return how many games each bot has played."""
        if not self.results.exists():
            return {}
        rows = call_ok("standings", self.file, "--json").splitlines()
        return {row["bot"]: row["games"] for row in map(json.loads, rows)}

    def rate(self):
        """Return the ratings of the bots."""
        rows = call_ok("standings", self.file, "--show", "ratings", "--json").splitlines()
        return {row["bot"]: row["rating"] for row in map(json.loads, rows) if "rating" in row}

    def list_withdrawn(self):
        rows = map(json.loads, call_ok("standings", self.file, "--json").splitlines())
        return [row["bot"] for row in rows if row["status"] == "withdrawn"]

    def decide(self, *words):
        return call_ok("submissions", self.file, *words)


@pytest.mark.usefixtures("sandboxes")
def test_a_promoted_program_replaces_the_version_before_until_it_is_rolled_back(ladder):
    ladder.bots = ({"name": "deep", "command": ["./mybot.py"]}, "stdlib")
    assert ladder.play() == {"deep": GAMES, "stdlib": GAMES}
    before = ladder.rate()
    number = ladder.submit()
    assert ladder.decide(number, "--promote") == "deep-1 plays from the next `arbiter run` on instead of deep\n"
    assert ladder.rate() == before
    assert ladder.play() == {"deep-1": GAMES, "stdlib": GAMES}
    assert ladder.list_withdrawn() == ["deep"]
    after = ladder.rate()
    assert after.keys() == {"deep", "deep-1", "stdlib"}
    assert ladder.decide(number, "--rollback") == "deep plays instead of deep-1\n"
    assert ladder.list_withdrawn() == ["deep-1"]
    assert ladder.rate() == after
    assert ladder.decide(number, "--promote") == "deep-1 plays instead of deep\n"
    assert ladder.list_withdrawn() == ["deep"]
    made = [json.loads(line) for line in call_ok("rule", ladder.file, "--json").splitlines()]
    # No moment without a version: a ladder with one bot left would be over.
    assert [(one["kind"], one["bot"]) for one in made[-2:]] == [("undo", "deep-1"), ("withdraw", "deep")]
    assert "deep-1" in call_ok("schedule", ladder.file)
    assert "run only in a sandbox" in call_refused("run", ladder.file, "--sandbox", "process")
    call_ok("ladder", "close", ladder.file)
    ladder.games = 0
    assert ladder.play() == {"deep-1": GAMES, "stdlib": GAMES}
    assert ladder.list_withdrawn() == []  # it has no games in this term


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.heavy
def test_a_version_whose_program_has_changed_plays_only_if_it_is_accepted(ladder):
    number = ladder.submit()
    ladder.decide(number, "--promote")
    ladder.play()
    earlier = "digest = 'other', interpreter = 'Python 3.1'"
    database(ladder.results, f"UPDATE program SET {earlier} WHERE bot = 'deep-1'")
    ladder.write(max_games=2 * GAMES)
    assert "with the new one with --accept-new deep-1" in call("run", ladder.file, "--sandbox", "full").stderr
    done = call("run", ladder.file, "--sandbox", "full", "--accept-new", "deep-1")
    assert done.exit_code == 0, done.stderr


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.heavy
def test_workers_play_without_a_version_that_is_rolled_back_and_one_that_joins_is_reported(ladder):
    ladder.bots = ({"name": "deep", "command": ["./mybot.py"]}, "random")
    ladder.write(max_games=100_000)
    first, second = ladder.submit(), ladder.submit()
    ladder.decide(first, "--promote")
    with StartedArbiter("run", ladder.file, "--sandbox", "full", "--workers", 1, "--json") as running:
        running.read_until("deep-1")
        roll_back(ladder.submissions, first, ["deep", "random"], "deep")
        while "deep-1" not in ladder.list_withdrawn():
            running.read_until("deep")
        last = json.loads(call_ok("rule", ladder.file, "--json").splitlines()[-1])
        assert last["by"] == "deep", "the author has decided it"
        promote(ladder.submissions, second, ["deep", "random"], "deep")
        errors = b""
        while b"deep-2: joins when" not in errors:
            more = os.read(running.popen.stderr.fileno(), 1 << 16)  # the arbiter ends after PATIENCE_S
            assert more, errors
            errors += more
        running.popen.send_signal(signal.SIGINT)
        assert running.finish()[0] == 130
    assert "deep-2" not in ladder.count()


@pytest.mark.usefixtures("sandboxes")
def test_a_check_that_is_cut_off_begins_again_with_the_command_of_the_author(ladder):
    ladder.play_without_sandbox()
    write_program(ladder.folder / "waits.py", "#!/usr/bin/env python3\nimport time\ntime.sleep(600)\n")
    submissions = ladder.submissions
    made = submissions.create("deep", ["./src/mybot.py"], "id")
    with tarfile.open(submissions.find_archive(made.number), "w") as archive:
        archive.add("waits.py", "bot/src/mybot.py")
    submissions.change(made, "waiting")
    command = [sys.executable, "-m", "arbiter.submissions.examine", str(made.number), "results/club.sqlite"]
    with subprocess.Popen(command) as examining:
        limit = time.monotonic() + PATIENCE_S
        while "entry" not in [step["name"] for step in submissions.list_steps(made.number)]:
            assert time.monotonic() < limit
            assert examining.poll() is None
            time.sleep(0.02)
        examining.kill()
    found = submissions.find(made.number)
    assert (found.state, found.command) == ("checking", ("./src/mybot.py",))


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.heavy
def test_a_check_that_is_cut_off_before_its_program_plays_goes_on_there(ladder):
    ladder.promote = "auto"
    ladder.play()
    number = ladder.submit(state="waiting")  # the digest is stored when all steps have passed
    ladder.submissions.add_step(number, {"name": "unpack"})
    command = [sys.executable, "-m", "arbiter.submissions.examine", str(number), "results/club.sqlite"]
    for _ in range(2):  # the second time, it plays already
        subprocess.run(command, check=True)
        found = ladder.submissions.find(number)
        assert (found.state, found.command, found.ended != "") == ("passed", ("./mybot.py",), True)
        assert ladder.submissions.read_decisions().lines == {"deep": [number]}
        assert ladder.submissions.list_steps(number) == [{"name": "unpack"}]
        ladder.submissions.change(found, "waiting")


@pytest.mark.parametrize(("digest", "state"), [("digest1", "passed"), ("", "refused")])
def test_a_check_that_fails_after_all_steps_is_not_refused(ladder, digest, state):
    """The program may play already.  Without results, the process of the check fails at once."""
    number = ladder.submit(state="checking")
    submissions = ladder.submissions
    submissions.save(replace(submissions.find(number), digest=digest))

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(examine_all, ladder.folder / "results" / "club.sqlite", ())
            with trio.fail_after(PATIENCE_S):
                while submissions.find(number).state not in OVER:  # noqa: ASYNC110 - only its file shows it
                    await trio.sleep(0.02)
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert submissions.find(number).state == state


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.heavy
def test_a_version_joins_a_ladder_that_is_being_played(ladder):
    ladder.bots = ({"name": "deep", "command": ["./mybot.py"]}, "stdlib")
    ladder.write(max_games=100_000)
    number = ladder.submit()
    with StartedArbiter("run", ladder.file, "--sandbox", "full", "--jobs", 1, "--json") as running:
        running.read_until("deep")
        served = ServedResults.read(ladder.folder / "results" / "club.sqlite")
        assert list_bots(served) == {"deep", "stdlib"}
        assert ladder.decide(number, "--promote") == "deep-1 joins the ladder now instead of deep\n"
        running.read_until("deep-1")
        while "deep" not in ladder.list_withdrawn():
            running.read_until("deep-1")
        assert ladder.decide(number, "--rollback") == "deep plays instead of deep-1\n"
        running.read_until('"deep"')
        assert list_bots(served) == {"deep", "deep-1", "stdlib"}
        served.close()
        running.popen.send_signal(signal.SIGINT)
        code, errors = running.finish()
    assert code == 130, errors
    assert ladder.list_withdrawn() == ["deep-1"]
    games = [json.loads(line) for line in call_ok("games", ladder.file, "--json").splitlines()]
    assert {game["red"] for game in games} == {"deep", "deep-1", "stdlib"}
    assert call_ok("verify", ladder.file)


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.heavy
def test_a_version_that_crashes_rests_and_the_one_before_plays(ladder):
    ladder.bots = ({"name": "deep", "command": ["./mybot.py"]}, "random", "stdlib")
    ladder.write(max_games=100_000)
    number = ladder.submit(text="#!/usr/bin/env python3\nimport sys\nsys.exit('broken on purpose')\n")
    ladder.decide(number, "--promote")
    with StartedArbiter("run", ladder.file, "--sandbox", "full", "--jobs", 1, "--json") as running:
        running.read_until("deep-1")
        while ladder.list_withdrawn() != ["deep-1"]:
            running.read_until("game")
        running.read_until('"deep"')
        running.popen.send_signal(signal.SIGINT)
        code, errors = running.finish()
    assert code == 130, errors
    (one,) = map(json.loads, ladder.decide("--json").splitlines())
    assert (one["plays"], one["quarantine"]) == (False, True)
    assert f"{number:>4}  deep                 quarantine" in ladder.decide()
    quarantine = ladder.submissions.read_decisions().quarantines[number]
    assert len(quarantine.games) >= 3
    assert "because it crashed in several games" in call_ok("rule", ladder.file)


def test_contested_games_are_listed_with_their_evidence_and_answered(ladder):
    ladder.bots = ("random", "stdlib")
    ladder.play_without_sandbox()
    (game, other) = (json.loads(line)["id"] for line in call_ok("games", ladder.file, "--json").splitlines())
    contest = {"author": "random", "version": "random", "why": "the clock\x1b[1m", "at": "2026-01-01T00:00:00+00:00"}
    with ladder.submissions.deciding("random", "contested") as decisions:
        decisions.contests += [ContestedGame(game=game, **contest), ContestedGame(game=other, **contest)]
    results = ladder.folder / "results" / "club.sqlite"
    VersionWatch(load_tournament(ladder.file), ladder.submissions, results).settle()
    listed = ladder.decide("--contests")
    assert "\x1b" not in listed
    assert listed.count("  open  ") == 2
    found = [json.loads(line) for line in ladder.decide("--contests", "--json").splitlines()]
    assert ": ok: game" in call_ok("verify", found[0]["evidence"])
    call_ok("rule", ladder.file, game, "--result", "draw", "--because", "the power failed")
    assert ladder.decide("--dismiss", 2, "--because", "a fair loss") == f"the result of {other} stays: a fair loss\n"
    assert "there is no contest 3" in call_refused("submissions", ladder.file, "--dismiss", 3)
    found = [json.loads(line) for line in ladder.decide("--contests", "--json").splitlines()]
    assert [one["state"] for one in found] == ["ruled", "dismissed"]


def list_bots(served):
    """List the bots of a page that was opened earlier."""
    return {row.bot for row in served.results().final}


def test_what_cannot_be_promoted_or_rolled_back_is_explained(ladder):
    failed, good, clash = ladder.submit(state="failed"), ladder.submit(), ladder.submit("x")
    ladder.bots = ("random", "stdlib", {"name": f"X-{clash}", "command": ["./mybot.py"]})
    ladder.write()

    def refused(*words):
        return call_refused("submissions", ladder.file, *words)

    assert "only a program that has passed can play" in refused(failed, "--promote")
    assert "no program with number 9" in refused(9, "--promote")
    assert "NUMBER: is missing" in refused("--promote")
    assert "rename that bot" in refused(clash, "--promote")
    assert "2 does not play; nothing of deep does" in refused(good, "--rollback")
    ladder.decide(good, "--promote")
    assert "was promoted already, as deep-2" in refused(good, "--promote")
    assert "`arbiter withdraw`" in refused(good, "--rollback")
    assert "exclude each other" in refused(good, "--promote", "--rollback")
    listed = [json.loads(line) for line in ladder.decide("--json").splitlines()]
    assert [(one["version"], one["plays"]) for one in listed] == [(None, False), ("deep-2", True), (None, False)]


def test_a_rejected_program_does_not_play_until_it_is_promoted(ladder):
    number, failed = ladder.submit(), ladder.submit(state="failed")
    rejected = "number 1 of deep is rejected: too slow\n"
    assert ladder.decide(number, "--reject", "--because", "too slow") == rejected
    assert "too slow" in ladder.decide()
    assert [json.loads(line)["rejected"] for line in ladder.decide("--json").splitlines()] == ["too slow", None]
    assert "is rejected" in call_refused("submissions", ladder.file, failed, "--reject")
    assert "NUMBER: is missing" in call_refused("submissions", ladder.file, "--reject")
    ladder.decide(number, "--promote")
    assert "1 plays" in call_refused("submissions", ladder.file, number, "--reject")


def test_a_banned_author_is_promoted_no_more_until_the_ban_is_lifted(ladder):
    number = ladder.submit()
    assert ladder.decide("--ban", "deep", "--because", "spam") == "deep is banned: spam\n"
    refusal = "NUMBER: deep is banned; --lift-ban AUTHOR lifts the ban"
    assert refusal in call_refused("submissions", ladder.file, number, "--promote")
    assert "there is no contest 7; --contests lists them" in call_refused("submissions", ladder.file, "--dismiss", 7)
    assert "banned already" in call_refused("submissions", ladder.file, "--ban", "deep")
    assert ladder.decide().endswith("deep is banned: spam\n")
    call_ok("invite", ladder.file, "deep", "--submit")
    assert call_ok("invite", ladder.file, "--list").endswith("  banned\n")
    assert ladder.decide("--lift-ban", "deep") == "deep is not banned now\n"
    assert "is not banned" in call_refused("submissions", ladder.file, "--lift-ban", "deep")
    assert "leave it out" in call_refused("submissions", ladder.file, "--because", "spam")
    ladder.decide(number, "--promote")
    journal = (ladder.submissions.folder / "journal.jsonl").read_text().splitlines()
    noted = [(one["what"], one.get("author"), one.get("why")) for one in map(json.loads, journal)]
    assert noted[1:] == [("banned", "deep", "spam"), ("ban lifted", "deep", None), ("promoted", "deep", None)]


def test_names_of_versions_are_names_of_bots():
    assert name_version("deep", 12) == "deep-12"
    assert name_version("x" * 40, 1234) == "x" * 35 + "-1234"
