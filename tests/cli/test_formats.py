"""A small tournament of each format from the command line, killed and resumed."""

import json
import re

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused, write_tournament
from cli.fast_bots import PLIES
from cli.test_void import FailingIsolation

from arbiter.director import venue
from arbiter.sandbox.select import SelectedIsolation

NAMES = ("a", "b", "c", "d", "e")
SWISS_THEN_KNOCKOUT = [{"format": "swiss", "rounds": 2}, {"format": "knockout", "best": 4, "further_pairs": 0}]
FORMATS = {
    "gauntlet": ({"format": "gauntlet", "challengers": ["b"]}, 8),
    "swiss": ({"format": "swiss", "rounds": 3}, 12),
    "knockout": ({"format": "knockout", "further_pairs": 1}, 16),
    "stages": ({"stages": SWISS_THEN_KNOCKOUT}, 14),
}


def write(folder, fast_bot, bots=NAMES, **settings):
    """Write a tournament of bots that move out and back until the game is drawn."""
    folder.mkdir(exist_ok=True)
    entries = [{"name": name, "command": fast_bot} for name in bots]
    limits = {"max_plies": PLIES}
    return write_tournament(
        folder, rules="original", bots=entries, draws=limits, time={"start_s": 60}, jobs=2, **settings
    )


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def games(file):
    return sorted((game["id"], game["round"], game["ending"]) for game in objects(call_ok("games", file, "--json")))


def counted(file):
    """List the standings without the times of the games."""
    return [row | {"mean_seconds": None, "mean_move_ms": None} for row in objects(call_ok("standings", file, "--json"))]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.slow(keep=1)
def test_a_tournament_that_is_killed_repeatedly_ends_like_one_that_is_not(tmp_path, fast_bot, form):
    settings, count = FORMATS[form]
    whole, broken = (write(tmp_path / name, fast_bot, **settings) for name in ("whole", "broken"))
    lines = call_ok("run", whole).splitlines()
    assert f"game {count}/{count}" in "\n".join(lines)
    for _ in range(2):
        with StartedArbiter("run", broken, "--json") as run:
            run.read_until('"id"')
            run.read_until('"id"')
            run.popen.kill()
            run.popen.wait()
    call_ok("run", broken)
    assert games(broken) == games(whole)
    assert counted(broken) == counted(whole)
    assert not any(line.startswith("game ") for line in call_ok("run", broken).splitlines())


def test_the_standings_of_a_swiss_tournament(tmp_path, fast_bot):
    file = write(tmp_path, fast_bot, format="swiss", rounds=3)
    shown = call_ok("run", file)
    assert "Rounds: opponent's row and points against it" in shown
    assert "bye: 12" in shown
    rows = objects(call_ok("standings", file, "--json"))
    byes = sorted((row["bot"], row["points"], row["games"], row["byes"]) for row in rows if row["byes"])
    assert byes == [("c", 24, 4, 1), ("d", 24, 4, 1), ("e", 24, 4, 1)]
    pairings = objects(call_ok("standings", file, "--json", "--show", "crosstable"))
    assert sum(row["games"] for row in pairings) == 2 * 12
    head, _, *table = call_ok("standings", file, "--show", "crosstable").splitlines()[2:]
    assert head.split() == ["bot", "1", "2", "3", "4", "5", "byes"]
    byes = sorted((line.split()[1], line.split()[-1]) for line in table)
    assert byes == [*zip(NAMES, ("0", "0", "12", "12", "12"), strict=True)]


def test_the_standings_of_a_knockout(tmp_path, fast_bot):
    file = write(tmp_path, fast_bot, format="knockout", further_pairs=0)
    assert "Bracket" in call_ok("run", file)
    rows = objects(call_ok("standings", file, "--json"))
    assert [row["rank"] for row in rows] == [1, 2, 3, 3, 5]
    assert [row["reached"] for row in rows] == [None, "final", "semi-final", "semi-final", "quarter-final"]


def test_the_standings_of_several_stages(tmp_path, fast_bot):
    file = write(tmp_path, fast_bot, stages=SWISS_THEN_KNOCKOUT)
    shown = call_ok("run", file)
    titles = ["Stage 1: Standings", "Stage 1: Rounds", "Stage 2: Standings", "Stage 2: Bracket", "Final ranking"]
    places = [shown.index(title) for title in titles]
    assert places == sorted(places)
    crosstables = call_ok("standings", file, "--show", "crosstable")
    assert re.findall(".*Crosstable", crosstables) == ["Stage 1: Crosstable", "Stage 2: Crosstable"]
    rows = objects(call_ok("standings", file, "--json"))
    assert [row["rank"] for row in rows] == [1, 2, 3, 3, 5]
    assert rows[-1]["reached"] == "stage 1"
    assert [line.split(",")[1] for line in call_ok("standings", file, "--format", "csv").splitlines()[1:]] == [
        row["bot"] for row in rows
    ]
    assert "## Final ranking" in call_ok("standings", file, "--format", "markdown")
    stage_2 = [game["id"] for game in objects(call_ok("games", file, "--json", "--round", "3"))]
    assert len(stage_2) == 4
    assert all(game_id.startswith("s2~") for game_id in stage_2)
    exported = tmp_path / "exported"
    call("games", file, "--export", exported)
    assert "ok" in call_ok("verify", exported / f"{stage_2[0]}.jsonl")


def test_no_bot_can_join_a_running_swiss_tournament(tmp_path, fast_bot):
    call_ok("run", write(tmp_path, fast_bot, format="swiss", rounds=2))
    told = call_refused("run", write(tmp_path, fast_bot, (*NAMES, "f"), format="swiss", rounds=2))
    assert 'bots: f cannot join: format "swiss" pairs all bots from the first round on' in told


def test_an_announced_absence_and_too_many_rounds(tmp_path, fast_bot):
    file = write(tmp_path, fast_bot, ("a", "b", "c"), format="swiss", rounds=4)
    text = file.read_text().replace('name = "b"', 'name = "b", absent = [2]')
    file.write_text(text)
    shown = call_ok("run", file)
    assert (
        "warning: rounds: 4 rounds of 3 bots cannot be paired without repeats; with 3 rounds or fewer they can" in shown
    )
    assert "absent: 6" in call_ok("standings", file)
    file.write_text(text.replace("[2]", "[1]"))
    refused = call_refused("run", file)
    assert "bots.b.absent: [2] before, [1] now, but round 4 has begun" in refused


def test_a_round_waits_for_a_voided_game(tmp_path, fast_bot, monkeypatch):
    file = write(tmp_path, fast_bot, format="swiss", rounds=2)
    monkeypatch.setattr(
        venue,
        "select_isolation",
        lambda _asked, programs, *_: SelectedIsolation(FailingIsolation(of="d", times=1000), programs),
    )
    result = call("run", file)
    assert result.exit_code == 1
    assert {round_ for _, round_, _ in games(file)} == {1}
    monkeypatch.undo()
    call_ok("run", file)
    assert len(games(file)) == 8


def test_identical_games_are_reported(tmp_path, fast_bot):
    shown = call_ok("run", write(tmp_path, fast_bot, ("a", "b"), games=6))
    assert "Identical games" in shown
    assert "a - b      5 of 6 have the same actions as an earlier game" in shown
