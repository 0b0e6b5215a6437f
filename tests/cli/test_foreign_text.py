"""Hostile text of bots and foreign records in every output."""

import json
import shutil
import sqlite3
import sys
from contextlib import closing

import msgspec
import pytest
from cli.command_line import BOTS, call, call_ok, write_program, write_tournament
from cli.terminal import Terminal

from arbiter.packing import pack
from arbiter.show.tables.sheet import FORMATS
from arbiter.transcript import LogLine, Transcript

EVIL = "\x1b]0;x\x07\x1b[31m\x9b2J\u202e|`*<script>alert(1)</script>\r\n=cmd|'/C calc'!A0"
BOT = f"""
import sys
sys.path.insert(0, {str(BOTS)!r})
from base import Bot, move
EVIL = {EVIL!r}

class One(Bot):
    def build_ready(self):
        return super().build_ready() | {{"name": EVIL, "version": EVIL[:40], "author": EVIL}}

    def build_act(self, ask):
        sys.stderr.write(EVIL)
        return super().build_act(ask) | {{"note": EVIL}}
"""
WALKER = f"{BOT}\nOne().run()\n"
CHEAT = f"""{BOT}
class Cheat(One):
    def choose_action(self, ask):
        return super().choose_action(ask) if self.turns < 2 else move(EVIL, EVIL)

Cheat().run()
"""
LATER = ("--json", "--plain", "--as red", "--as blue", "--at end")


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    """Play a tournament of three hostile bots; one loses by a hostile move."""
    folder = tmp_path_factory.mktemp("evil")
    texts = {"one": WALKER, "two": WALKER, "cheat": CHEAT}
    scripts = {name: write_program(folder / f"{name}.py", text) for name, text in texts.items()}
    bots = [{"name": name, "command": [sys.executable, "-ES", str(script)]} for name, script in scripts.items()]
    file = write_tournament(folder, rules="original", bots=bots, draws={"max_plies": 8}, name="evil")
    assert_harmless(call_ok("run", file))
    return file


def assert_harmless(text):
    assert text
    assert all(sign.isprintable() or sign == "\n" for sign in text), ascii(text)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", ["standings", "games"])
def test_in_tables(evil, command, form):
    text = call_ok(command, evil, "--format", form)
    assert_harmless(text)
    assert "<script" not in text.replace(r"\<", "") or form in {"table", "json", "csv"}


@pytest.mark.parametrize("options", ["", *LATER])
def test_in_a_replay(evil, options):
    for line in call_ok("games", evil, "--json").splitlines():
        assert_harmless(call_ok("replay", evil, json.loads(line)["id"], *options.split()))


def test_in_notes_stderr_and_a_verification(evil):
    assert_harmless(call_ok("games", evil, "--id", "one~two~1", "--log"))
    assert_harmless(call_ok("verify", evil) + call_ok("verify", evil, "--json"))
    assert r"notes: \x1b]0;x\x07\x1b[31m\x9b2J\u202e|`*<script>" in call_ok("replay", evil, "one~two~1")


def test_in_an_export(evil, tmp_path):
    assert call("games", evil, "--export", tmp_path).exit_code == 0
    assert len(list(tmp_path.iterdir())) == 6
    assert all(b"\x1b" not in path.read_bytes() for path in tmp_path.iterdir())


def test_in_what_a_terminal_shows_of_a_record(evil):
    with Terminal("export", evil, "one~two~1", "--record", "-") as terminal:
        assert terminal.finish() == 0
    assert "alert(1)" in terminal.written
    assert_harmless(terminal.written.replace("\r\n", "\n"))


def test_in_what_a_terminal_shows_of_the_lines_to_a_bot(evil, tmp_path):
    results = tmp_path / "evil.sqlite"
    shutil.copy(evil.parent / "results" / "evil.sqlite", results)
    log = Transcript(first=(LogLine(0.0, sent=True, text=EVIL.encode()),))
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute("DELETE FROM wire")
        packed = pack(msgspec.msgpack.encode(log))
        connection.execute("INSERT INTO wire SELECT number, 'red', ? FROM game WHERE id = 'one~two~1'", (packed,))
    with Terminal("feed", results, "one~two~1", "--as", "red") as terminal:
        assert terminal.finish() == 0
    assert "alert(1)" in terminal.written
    assert_harmless(terminal.written.replace("\r\n", "\n"))
    assert call_ok("feed", results, "one~two~1", "--as", "red") == f"{EVIL}\n".replace("\r\n", "\n")


def test_in_a_match(evil):
    bots = [f"{sys.executable} -ES {evil.parent / name}" for name in ("one.py", "cheat.py")]
    assert_harmless(call_ok("match", *bots, "--rules", "original"))


def stranger(**changes):
    """Write a record in which every text is hostile."""
    seats = {seat: {"name": EVIL, "program": EVIL, "version": EVIL, "author": EVIL} for seat in ("red", "blue")}
    header = {"type": "game", "id": EVIL, "rules": "original", "seats": seats, "arbiter": EVIL, "started": EVIL}
    pieces = {"type": "act", "seat": "red", "action": {"type": "deploy", "pieces": {EVIL: EVIL}}, "note": EVIL}
    result = {
        "type": "result",
        "winner": "blue",
        "ending": "protocol",
        "reason": {"code": "broke_protocol", "seat": "red", "detail": EVIL},
    }
    return "\n".join(map(json.dumps, (header | changes, pieces, result)))


STRANGERS = {
    "texts": stranger(),
    "rules": stranger(rules=EVIL),
    "options": stranger(options=[EVIL]),
    "army": stranger(overrides={"army": {EVIL: 1}}),
    "key": stranger(overrides={EVIL: 1}),
    "seat": stranger(seats={EVIL: {"name": "x"}}),
    "position": stranger(position=EVIL),
    "letters": stranger(position="\x9b" * 100),
    "decks": stranger(decks={"red": [EVIL]}),
    "cards": stranger(rules="card-game", decks={"red": [EVIL], "blue": [EVIL]}),
    "first": stranger(first=EVIL),
    "no record": EVIL,
}


@pytest.mark.parametrize("text", STRANGERS.values(), ids=STRANGERS.keys())
@pytest.mark.parametrize("words", ["verify", "verify --json", "replay", "replay --json"])
def test_in_a_foreign_record(tmp_path, words, text):
    record = tmp_path / "\u202ex\x9b.jsonl"
    record.write_text(text)
    result = call(*words.split(), record)
    assert_harmless(result.stdout + result.stderr)


@pytest.mark.parametrize("options", [("--json",), ()])
def test_in_a_check(evil, options):
    result = call(
        "check", f"{sys.executable} -ES {evil.parent / 'cheat.py'}", "--rules", "original", "--stop", *options
    )
    assert result.exit_code == 1
    assert_harmless(result.stdout)
    assert "refused by the rule" in result.stdout or '"rule":' in result.stdout


def facts(*told):
    """Write a record whose first act has hostile facts."""
    header = stranger().split("\n")[0]
    action = {"type": "move", "src": "a4", "dst": "a5"}
    act = {"type": "act", "seat": "red", "action": action, "facts": [fact | {"to": ["red", "blue"]} for fact in told]}
    return "\n".join([header, json.dumps(act)])


@pytest.mark.parametrize("words", ["verify", "replay", "replay --json"])
def test_in_foreign_facts(tmp_path, words):
    record = tmp_path / "record.jsonl"
    record.write_text(facts({"type": "looked", "seat": "red", "src": EVIL, "dst": EVIL}))
    result = call(*words.split(), record)
    assert_harmless(result.stdout + result.stderr)


HOSTILE_COLUMNS = ("ending", "reason", "started", "fingerprint", "id", "red", "blue", "winner")


@pytest.mark.parametrize("column", HOSTILE_COLUMNS)
def test_in_results_of_a_stranger(evil, tmp_path, column):
    results = tmp_path / "evil.sqlite"
    shutil.copy(evil.parent / "results" / "evil.sqlite", results)
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute(f"UPDATE game SET {column} = ? WHERE id = 'one~two~1'", (EVIL,))
    for words in ("games", "games --format csv", "games --json", "standings", "standings --json", "status"):
        result = call(*words.split(), results)
        assert_harmless(result.stdout + result.stderr)


def test_in_a_suite(evil, tmp_path):
    script = shutil.copy(evil.parent / "cheat.py", tmp_path / "ch\x1b[31m\x07eat.py")
    tmp_path.chmod(0o755)
    assert_harmless(call_ok("suite", "first", f"{sys.executable} -ES '{script}'", "--only", "ending-1"))


def test_in_a_tuning(evil, tmp_path):
    bot = f"{sys.executable} -ES {evil.parent / 'cheat.py'}"
    results = tmp_path / "tuning.jsonl"
    words = ("--rules", "original", "--param", "X=1..5@2", "--games", "2", "--results", results)
    assert_harmless(call("tune", bot, *words).output)
