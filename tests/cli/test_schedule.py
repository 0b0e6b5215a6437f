"""`arbiter schedule` and `arbiter run --dry-run`: pairings and duration before the event."""

import csv
import io
import json
import re
from datetime import datetime

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament

FOUR = ("hunter", "random", "stdlib", "strategist")
THREE = FOUR[:3]


def pairings(text):
    return [(one["round"], one["red"], one["blue"], one["games"]) for one in map(json.loads, text.splitlines())]


def test_a_round_robin_is_listed_completely(tmp_path):
    file = write_tournament(tmp_path, bots=FOUR, games=4)
    listed = pairings(call_ok("schedule", file, "--json"))
    assert len(listed) == 12
    assert [one[0] for one in listed] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert [one[1:] for one in listed[:6]] == [one[1:] for one in listed[6:]]
    assert {one[3] for one in listed} == {2}
    assert {frozenset(one[1:3]) for one in listed[:6]} == {
        frozenset((one, two)) for one in FOUR for two in FOUR if one < two
    }


def test_later_rounds_of_a_swiss_are_listed_when_they_are_known(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick, format="swiss", rounds=2)
    text = call_ok("schedule", file)
    assert re.search(r"1  stdlib  bye +0", text)
    assert "The pairings of later rounds of the swiss follow from the results of earlier rounds." in text
    call_ok("run", file)
    later = call_ok("schedule", file)
    assert "later rounds" not in later
    assert [one[0] for one in pairings(call_ok("schedule", file, "--json"))] == [1, 1, 2, 2]


def test_an_absent_bot_has_no_bye(tmp_path):
    bots = ("hunter", "random", {"name": "stdlib", "absent": [1]})
    event = {"starts": datetime(2026, 12, 5, 19)}  # noqa: DTZ001 - a time of the place
    file = write_tournament(tmp_path, bots=bots, format="swiss", rounds=2, event=event)
    assert re.search(r"1  .*  stdlib  absent +0\n", call_ok("schedule", file))
    call("schedule", file, "-o", tmp_path / "rounds.ics")
    assert "stdlib: absent" in (tmp_path / "rounds.ics").read_text()


def test_a_stage_without_bots_is_announced(tmp_path):
    stages = [{"format": "round-robin"}, {"format": "knockout", "best": 2}]
    text = call_ok("schedule", write_tournament(tmp_path, bots=THREE, stages=stages))
    assert "The bots of stage 2, knockout, follow from the results of the stage before." in text


def test_programs_need_not_be_there_yet(tmp_path):
    bots = ("hunter", {"name": "late", "command": ["./not-submitted-yet"]})
    assert "late" in call_ok("schedule", write_tournament(tmp_path, bots=bots))


def test_results_in_another_folder(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick, format="swiss", rounds=2)
    call_ok("run", file, "--results", tmp_path / "other")
    assert len(pairings(call_ok("schedule", file, "--results", tmp_path / "other", "--json"))) == 4
    assert len(pairings(call_ok("schedule", file, "--json"))) == 2


@pytest.mark.parametrize("ending", ["txt", "md", "csv", "json", "html"])
def test_exports(tmp_path, ending):
    file = write_tournament(tmp_path, bots=FOUR, name="Round & <robin>") if ending == "html" else None
    file = file or write_tournament(tmp_path, bots=FOUR)
    out = tmp_path / f"plan.{ending}"
    result = call("schedule", file, "-o", out)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"6 pairings in {out}\n")
    text = out.read_text()
    if ending == "csv":
        assert next(csv.reader(io.StringIO(text))) == [
            *("stage", "round", "starts", "red", "blue", "games"),
            *("red_title", "blue_title", "event", "place", "dates"),
        ]
    elif ending == "json":
        assert len(pairings(text)) == 6
    elif ending == "html":
        assert text.count("<tr><td>") == 6
        assert "<script" not in text
    else:
        assert "hunter" in text
    form = {"txt": "table", "md": "markdown"}.get(ending, ending)
    assert call_ok("schedule", file, "--format", form) == text


EVENT = {"title": "Open", "place": "Köln; Café", "dates": "5 December", "round_minutes": 45}


def test_event_titles_and_times(tmp_path):
    path = write_tournament(tmp_path, bots=({"name": "hunter", "title": "Jägerin"}, "random", "stdlib"), event=EVENT)
    path.write_text(path.read_text("utf-8").replace("event = {", "event = {starts = 2026-12-05T19:00:00, "), "utf-8")
    text = call_ok("schedule", path)
    assert text.startswith("Open, Club night, Köln; Café, 5 December: pairings\n")
    assert re.search(r"1  Sat 2026-12-05 19:00 +random +stdlib +2\n", text)
    assert re.search(r"3  Sat 2026-12-05 20:30 +stdlib +Jägerin +2\n", text)
    assert "estimates" not in text
    first, *_ = map(json.loads, call_ok("schedule", path, "--json").splitlines())
    assert first == {
        "stage": 1,
        "round": 1,
        "starts": "2026-12-05T19:00:00",
        "red": "random",
        "blue": "stdlib",
        "games": 2,
        "red_title": None,
        "blue_title": None,
        "event": "Open",
        "place": "Köln; Café",
        "dates": "5 December",
    }
    rows = list(csv.DictReader(io.StringIO(call_ok("schedule", path, "--format", "csv"))))
    assert list(rows[0]) == list(first)
    assert [(row["red"], row["blue"], row["red_title"], row["blue_title"]) for row in rows] == [
        ("random", "stdlib", "", ""),
        ("hunter", "random", "Jägerin", ""),
        ("stdlib", "hunter", "", "Jägerin"),
    ]


def test_times_are_estimated_from_the_likely_duration(tmp_path):
    path = tmp_path / "event.toml"
    path.write_text(
        'name = "x"\nrules = "duel"\nformat = "swiss"\nrounds = 3\njobs = 1\n[event]\n'
        "starts = 2026-12-05T19:00+01:00  # evening\n[time]\nbank_s = 100\nincrement_s = 0\n"
        + "".join(f'[[bots]]\nname = "{bot}"\n' for bot in FOUR),
        encoding="utf-8",
    )
    text = call_ok("schedule", path)
    # A quarter of 2 * 100 s for each of the 4 games is 200.4 s.
    assert (
        "Times of later rounds: round 2 at Sat 2026-12-05 19:04 +0100, round 3 at Sat 2026-12-05 19:08 +0100." in text
    )
    assert "Times after the first round are estimates" in text


def test_all_rounds_of_a_knockout_have_times(tmp_path):
    path = write_tournament(tmp_path, bots=FOUR, format="knockout", event=EVENT)
    path.write_text(path.read_text("utf-8").replace("event = {", "event = {starts = 2026-12-05T19:00:00, "), "utf-8")
    assert "Times of later rounds: round 2 at Sat 2026-12-05 19:45.\n" in call_ok("schedule", path)
    out = tmp_path / "rounds.ics"
    assert call("schedule", path, "-o", out).stderr == f"2 rounds in {out}\n"
    assert out.read_text("utf-8").count("BEGIN:VEVENT") == 2


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2026-12-05", 'event.starts: is "2026-12-05", must be a date and a time without quotes, as in'),
        ('"tomorrow"', 'event.starts: is "tomorrow", must be a date and a time'),
        ("2026-13-05T19:00", "line 3, column"),
    ],
)
def test_wrong_times(tmp_path, value, said):
    path = tmp_path / "event.toml"
    path.write_text(f'name = "x"\n[event]\nstarts = {value}\n[[bots]]\nname = "random"\n', encoding="utf-8")
    assert said in call_refused("schedule", path)


def test_a_calendar_needs_the_start(tmp_path):
    file = write_tournament(tmp_path, bots=THREE)
    assert "event.starts: is missing" in call_refused("schedule", file, "-o", tmp_path / "x.ics")


def test_a_million_games_are_cut(tmp_path):
    text = call_ok("schedule", write_tournament(tmp_path, bots=FOUR, games=1_000_000), "--format", "csv")
    assert text.count("\n") == 10_001


@pytest.mark.parametrize(
    ("words", "said"), [(("none.toml",), "there is no such file"), (("--format", "pdf"), "'pdf' is not one of")]
)
def test_wrong_input(tmp_path, words, said):
    assert said in call_refused("schedule", *words)


def test_a_dry_run_plays_nothing(tmp_path):
    file = write_tournament(tmp_path, bots=THREE)
    before = sorted(tmp_path.rglob("*"))
    text = call_ok("run", file, "--dry-run", "--jobs", 2)
    assert "Club night: pairings" in text
    assert "Duration of 6 games, 2 at a time" in text
    assert "a game has 100 plies (10 for each of the 10 pieces of a side)" in text
    assert sorted(tmp_path.rglob("*")) == before


def dry_run(file, *words):
    *_, last = call_ok("run", file, "--dry-run", *words, "--json").splitlines()
    return json.loads(last)


def test_the_duration_by_hand(tmp_path):
    time = {"start_s": 5, "setup_s": 10, "bank_s": 20, "increment_s": 0, "margin_ms": 0}
    file = write_tournament(tmp_path, bots=THREE, time=time, draws={"max_plies": 50})
    found = dry_run(file, "--jobs", 4)
    assert (found["games"], found["jobs"]) == (6, 4)  # two batches
    assert found["seconds"] == {
        "minimum": pytest.approx(2 * (0.1 + 50 * 0.001)),
        "likely": pytest.approx(2 * (0.1 + 0.25 * 40)),
        "maximum": 2 * (5 + 2 * 10 + 2 * 20),
    }


def test_a_limit_of_each_move_and_the_processor_clock_count(tmp_path):
    time = {"start_s": 0.5, "setup_s": 0, "bank_s": 1000, "move_s": 1, "margin_ms": 0, "clock": "cpu"}
    file = write_tournament(tmp_path, time=time, draws={"max_plies": 30})
    assert dry_run(file, "--jobs", 1)["seconds"]["maximum"] == 2 * (0.5 + 5 * 30)


def test_without_a_limit_of_plies_there_is_no_maximum(tmp_path):
    file = write_tournament(tmp_path, draws={"max_plies": 0})
    assert dry_run(file)["seconds"]["maximum"] is None
    assert "There is no maximum" in call_ok("run", file, "--dry-run")


def test_stored_games_replace_the_assumptions(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2])
    call_ok("run", file)
    write_tournament(tmp_path, bots=quick[:2], games=4)
    text = call_ok("run", file, "--dry-run")
    assert "Duration of 2 games" in text
    assert "as in the games played so far" in text
    assert dry_run(file)["seconds"]["likely"] < 10


def test_a_dry_run_refuses_what_a_run_refuses(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], rules="duel", games=2)
    call_ok("run", file, "--sandbox", "process")
    write_tournament(tmp_path, bots=quick[:2], rules="barrage", games=2)
    refused = call_refused("run", file, "--sandbox", "process")
    assert 'rules: "duel" before, "barrage" now' in refused
    assert call_refused("run", file, "--dry-run") == refused
    write_tournament(tmp_path, rules="duel", games=4, bots=quick)
    assert "Duration of 10 games" in call_ok("run", file, "--dry-run")
