"""`tune`: values that win are found, a killed tuning continues, and faults are named."""

import json
import signal
import subprocess
import sys
import time

import pytest
from cli.command_line import StartedArbiter, call, call_ok, call_refused

BOT = """\
import json, os, random, sys
strength = float(sys.argv[1] if len(sys.argv) > 1 else os.environ["STRENGTH"])
rng = random.Random(1)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        if strength > 95:
            sys.exit(3)
        print(json.dumps({"type": "ready", "protocol": 1, "name": "x", "wants": ["legal"]}), flush=True)
    elif message["type"] == "start":
        rules, seat = message["rules"], message["seat"]
        rng = random.Random(message["seed"])
    elif message["type"] == "ask":
        if message["phase"] == "setup":
            army = [rank for rank, count in rules["army"].items() for _ in range(count)]
            action = {"type": "deploy", "pieces": dict(zip(rules["deploy"][seat], army))}
        elif rng.random() * 100 > strength:
            action = {"type": "resign"}
        else:
            action = message["legal"][0]
        print(json.dumps({"type": "act", "ask": message["ask"], "action": action}), flush=True)
    elif message["type"] == "bye":
        break
"""
COMMON = ("--rules", "duel", "--sandbox", "process", "--time", "5+0.1")


@pytest.fixture
def bot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bot.py"
    path.write_text(BOT, encoding="utf-8")
    return path


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.heavy
def test_a_better_value_is_found(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    games = ("--games", "24", "--pairs", "3", "--rate", "0.2")
    text = call_ok(
        *("tune", bot, "--param", "STRENGTH=0.0..90.0@30/20", *games, "--results", file, *COMMON),
        *("--plot", tmp_path / "plot.svg", "--secret", "0" * 32),
    )
    assert "STRENGTH as environment variables" in text
    settings, *iterations = lines(file)
    assert settings["type"] == "tune"
    assert sum(one["won"] + one["drawn"] + one["lost"] for one in iterations) == 24
    assert iterations[-1]["values"]["STRENGTH"] > 40
    assert "<polyline" in (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert "[[bots]]" in text


def test_a_killed_tuning_continues(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    words = ["tune", str(bot), "--param", "STRENGTH=0..90@50", "--games", "16", "--results", str(file), *COMMON]
    process = subprocess.Popen([sys.executable, "-m", "arbiter", *words], stdout=subprocess.DEVNULL)
    limit = time.monotonic() + 100
    while not (file.exists() and len(lines(file)) > 2) and time.monotonic() < limit:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = lines(file)
    with file.open("a", encoding="utf-8") as rest:
        rest.write('{"type":"iteration","pai')  # cut off by the kill
    text = call_ok(*words)
    assert f"continues after {2 * before[-1]['pairs']} games" in text
    after = lines(file)
    assert after[: len(before)] == before
    assert [one["pairs"] for one in after[1:]] == list(range(1, 9))
    assert call_ok(*words, "--json").splitlines()[-1].startswith('{"type":"tuning","pairs":8')


def test_a_value_may_be_a_part_of_a_path(tmp_path, monkeypatch):
    """The path is relative to the folder of the user, as in a match; the bot works in its own."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "b"
    folder.mkdir()
    reading = BOT.replace("float(sys.argv[1] if", "float(open(sys.argv[1]).read() if")
    (folder / "bot.py").write_text(reading, encoding="utf-8")
    for number in range(1, 5):
        (folder / f"w{number}.txt").write_text(f"{number}0", encoding="utf-8")
    words = ("--param", "N=1..4@2/1", "--games", "2", "--results", tmp_path / "t.jsonl", *COMMON)
    assert "N as arguments" in call_ok("tune", f"{sys.executable} b/bot.py b/w{{N}}.txt", *words)
    assert lines(tmp_path / "t.jsonl")[1]["forfeits"] == {}
    (tmp_path / "weights").mkdir()
    for path in folder.glob("w*.txt"):
        path.rename(tmp_path / "weights" / path.name)
    elsewhere = (
        "tune",
        f"{sys.executable} b/bot.py weights/w{{N}}.txt",
        *words[: -len(COMMON) - 1],
        tmp_path / "u.jsonl",
    )
    assert f"weights/w2.txt, which is not in its folder {folder}; add --read weights" in call_refused(
        *elsewhere, *COMMON
    )
    call_ok(*elsewhere, *COMMON, "--read", "weights")
    assert lines(tmp_path / "u.jsonl")[1]["forfeits"] == {}


def test_a_tuning_of_another_format_is_refused(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    words = ["tune", bot, "--param", "STRENGTH=0..90@50", "--results", file, *COMMON, "--games"]
    call_ok(*words, 2)
    first, *others = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert json.loads(first)["format"] == 1
    file.write_text("".join([first.replace('"format":1', '"format":2'), *others]), encoding="utf-8")
    before = file.read_bytes()
    for more in ([2], [4], [2, "--finish"]):
        told = call_refused(*words, *more)
        assert told == f"arbiter: {file}: has format 2, but this arbiter reads format 1; use the arbiter that wrote it"
    assert file.read_bytes() == before


@pytest.mark.heavy
def test_worker_processes_play_the_same_games(bot, tmp_path):
    words = ["tune", f"{bot} {{STRENGTH}}", "--param", "STRENGTH=0.0..90.0@40/20", "--param", "OTHER=1..9"]
    words += ["--games", "12", "--pairs", "3", "--secret", "0" * 32, "--seed", "3", *COMMON]
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    call_ok(*words, "--results", here, "--jobs", "1")
    assert "in 2 workers" in call_ok(*words, "--results", there, "--workers", "2")
    assert lines(here)[1:] == lines(there)[1:]
    assert len({(one["won"], one["drawn"], one["lost"]) for one in lines(here)[1:]}) > 1


def test_a_stopped_tuning_finishes_its_games_and_shows_its_values(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    words = ["tune", str(bot), "--param", "STRENGTH=0..90@50", "--games", "100000", "--results", str(file), *COMMON]
    with StartedArbiter(*words) as tuning:
        tuning.read_until("pair 2/")
        tuning.popen.send_signal(signal.SIGINT)
        code, error = tuning.finish()
    assert code == 130
    assert "[[bots]]" in tuning.lines
    assert "stopping after the games in progress; Ctrl-C again stops at once" in error
    assert "stopped; the same command continues" in error


def test_a_tuning_is_finished_early_and_counts_forfeits(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    crashing = BOT.replace("elif rng.random() * 100 > strength:", 'elif seat == "red":')
    crashing = crashing.replace('action = {"type": "resign"}', "sys.exit(1)")
    bot.write_text(crashing, encoding="utf-8")  # red crashes in each game, so that no side loses both games of a pair
    words = ["tune", bot, "--param", "STRENGTH=60..94@90", "--results", file, *COMMON, "--games", "400"]
    assert "there is no tuning in" in call_refused(*words, "--finish")
    with StartedArbiter(*words) as tuning:
        tuning.read_until("pair 2/")
        tuning.popen.send_signal(signal.SIGINT)
        tuning.finish()
    stored = lines(file)
    bot.write_text(f"{BOT}# changed since then\n", encoding="utf-8")
    text = call_ok(*words, "--finish")
    assert lines(file) == stored
    assert f"continues after {2 * stored[-1]['pairs']} games" in text
    assert "[[bots]]" in text
    crashes = sum(one["forfeits"].get("crash", 0) for one in stored[1:])
    assert (
        f"Of {2 * stored[-1]['pairs']} games, {crashes} forfeits: program crashed {crashes}. They count as losses"
        in text
    )
    assert json.loads(call_ok(*words, "--finish", "--json").splitlines()[-1])["forfeits"] == {"crash": crashes}


def test_other_settings_are_refused(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    words = ["tune", bot, "--param", "STRENGTH=0..90@50", "--results", file, *COMMON]
    call_ok(*words, "--games", "2")
    more = ("--games", "2", "--rate", "0.5")
    assert "other settings (rate: 0.02, now 0.5); use the same ones" in call_refused(*words, *more)
    file.write_text("notes\n", encoding="utf-8")
    assert "is not the file of a tuning" in call_refused(*words, "--games", "2")


def test_a_tuning_continues_with_more_games(bot, tmp_path):
    file = tmp_path / "tuning.jsonl"
    words = ["tune", bot, "--param", "STRENGTH=0..90@50", "--results", file, *COMMON]
    call_ok(*words, "--games", "4")
    begun = lines(file)
    assert "continues after 4 games" in call_ok(*words, "--games", "8")
    assert lines(file)[: len(begun)] == begun
    assert [one["games"] for one in lines(file) if one["type"] == "tune"] == [4, 8]
    assert [one["pairs"] for one in lines(file) if one["type"] == "iteration"] == [1, 2, 3, 4]
    finished = lines(file)
    assert "has 8 games; write 8 to continue it" in call_refused(*words, "--games", "4")
    call_ok(*words, "--games", "4", "--finish")
    call_ok(*words, "--games", "8")
    assert lines(file) == finished


def test_a_tuning_of_another_program_is_refused(bot, tmp_path):
    words = ["tune", bot, "--param", "STRENGTH=0..90@50", "--games", "2", "--results", tmp_path / "t.jsonl", *COMMON]
    call_ok(*words)
    call_ok(*words)
    bot.write_text(f"{BOT}# changed\n", encoding="utf-8")
    assert f"the program of {bot} has changed from " in call_refused(*words)


def test_values_that_do_not_work_end_the_tuning(bot, tmp_path):
    words = ("tune", bot, "--param", "STRENGTH=96..99", "--games", "2", "--results", tmp_path / "t.jsonl", *COMMON)
    result = call(*words)
    assert result.exit_code == 2
    assert "the bot lost all games of an iteration by forfeit with STRENGTH 9" in result.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--param", "A=1..2", "--games", "3"], "--games 3: must be even"),
        (["--param", "A=1..2", "--param", "A=1..3"], "--param: a parameter is given twice"),
        (["--param", "A"], "--param A: must be NAME=LOW..HIGH"),
    ],
)
def test_faults(bot, tmp_path, words, why):
    assert why in call_refused("tune", bot, *words, "--results", tmp_path / "t.jsonl")
    assert not (tmp_path / "t.jsonl").exists()


def test_a_bot_is_tuned_under_the_options(bot, tmp_path):
    file = tmp_path / "t.jsonl"
    words = ["tune", bot, "--param", "STRENGTH=0..90@50", "--games", "2", "--results", file, *COMMON]
    options = ["--memory", "300", "--start", "20", "--set", "max_plies=40"]
    call_ok(*words, *options)
    settings = lines(file)[0]
    assert {key: settings[key] for key in ("memory", "start", "changes")} == {
        "memory": 300,
        "start": 20,
        "changes": ["max_plies=40"],
    }
    assert "other settings (memory: 300, now None)" in call_refused(*words, *options[2:])


def test_a_tuning_needs_a_parameter(bot):
    assert call("tune", bot).exit_code == 2
