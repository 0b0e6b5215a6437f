"""A rule set that the arbiter does not know: a piece, a power, an action and a fact of its own, without a change of it.

The files of `engineers/` are those that a new rule set in the project would touch: the vocabulary, the rules with the
piece and its power, and the names and sentences of each language.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packed_data import choose_texts, unpack

HERE = Path(__file__).parent
ENGINEERS = HERE / "engineers"


@pytest.fixture(scope="module")
def call():
    """Return a function that calls the arbiter with the rule set in another process, and returns the output."""
    words = [sys.executable, HERE / "with_engineers.py"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def call(*words):
            print(json.dumps([*map(str, words)]), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield call
        process.stdin.close()


@pytest.fixture(scope="module")
def results(call, tmp_path_factory):
    folder = tmp_path_factory.mktemp("engineers")
    bot = f"{sys.executable} {HERE / 'bot.py'}"
    settings = ("--rules", "engineers", "--games", "2", "--seed", "7", "--set", "max_plies=60")
    call("match", bot, bot, *settings, "--sandbox", "process", "--results", folder)
    call("games", folder, "--export", folder / "records")
    return folder


def find_game(results):
    """Return the id and the acts of a game in which a bomb is disarmed."""
    for path in sorted((results / "records").iterdir()):
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        for entry in entries:
            facts = [fact["type"] for fact in entry.get("facts") or ()]
            if facts == ["disarmed", "revealed", "revealed", "removed"]:
                return path.stem, entry
    raise AssertionError("no bomb was disarmed")


def test_a_new_rule_set_needs_at_most_eight_files():
    language_files = set((ENGINEERS / "languages").iterdir())
    assert len(language_files) == 5
    registers = {ENGINEERS / "__init__.py", ENGINEERS / "register.py"}  # which the project does not need
    files = {path for path in ENGINEERS.rglob("*") if path.is_file() and "__pycache__" not in path.parts} - registers
    assert files == language_files | {ENGINEERS / "words.py", ENGINEERS / "rules.py"}
    generated = 1  # protocol/schema.json
    assert len(files) + generated <= 8


def test_it_is_described(call):
    page = call("rules", "engineers", "--lang", "de")
    assert "2 E Pionier" in page
    assert "Entschärfen: Pionier (4). Anstatt zu ziehen" in page


def test_it_is_played_and_refereed_again(call, results):
    games = [json.loads(line) for line in call("games", results, "--json").splitlines()]
    assert len(games) == 2
    assert not {game["ending"] for game in games} & {"illegal_action", "protocol", "crash", "timeout", "void"}
    verified = call("verify", *sorted((results / "records").iterdir()))
    assert verified.count(": ok, ") == 2


@pytest.mark.parametrize("lang", ["en", "de", "fr", "it", "nl"])
def test_it_is_replayed(call, results, lang):
    game, act = find_game(results)
    src, dst = act["action"]["src"], act["action"]["dst"]
    text = call("replay", results, game, "--plain", "--lang", lang)
    assert f" {src} disarms {dst}" in text
    sentence = {
        "en": f"'s engineer on {src} disarms ",
        "de": f"Pionier von .* auf {src} entschärft Bombe von .* auf {dst}",
        "fr": f"sapeur de .* en {src} désamorce bombe de .* en {dst}",
        "it": f"geniere di .* in {src} disinnesca bomba di .* in {dst}",
        "nl": f"genist van .* op {src} ontmantelt bom van .* op {dst}",
    }[lang]
    assert re.search(sentence, text)
    assert re.search(r"[Rb]E'? ", text)


def test_it_has_pages(call, results):
    site = results / "site"
    call("report", results, "-o", site)
    game, act = find_game(results)
    page = (site / "games" / f"{game}.html").read_text("utf-8")
    data = unpack(re.search(r'id="viewer-data">([^<]+)<', page)[1])
    assert data["ranks"]["engineer"] == {"sign": "E", "army": 2, "red": "Engineer", "blue": "Engineer"}
    shown = [choose_texts(change, data["viewers"], "arbiter") for change in data["frames"]]
    assert f"{act['action']['src']} disarms {act['action']['dst']}" in {table.get("act") for table in shown}
    assert any(table.get("story", "").startswith(f"{act['seat']}'s engineer on ") for table in shown)


def test_positions_contain_it(call, results, tmp_path):
    game, _ = find_game(results)
    position = tmp_path / "position.txt"
    position.write_text(call("position", results, game, "--at", "0"))
    assert "RE " in position.read_text()
    letters = call("position", position, "--rules", "engineers", "--to", "letters")
    assert letters.count("7") == letters.count("8") == 2


def test_a_policy_learns_it():
    done = subprocess.run([sys.executable, HERE / "learn.py"], stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    assert {"own engineer", "enemy engineer", "own lost engineer"} <= set(found["planes"])
    assert found["powers"] == 836  # from 92 squares of land at those within two steps
    assert found["used"] > 0
    assert found["shown"] > 0
    assert found["games"] == 1


def test_the_vocabulary_is_extended_in_time():
    program = "import protocol.messages, protocol.words; protocol.words.extend(ranks=['engineer'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "can be extended only before protocol.messages is imported" in done.stderr
