"""Protest bundles: the evidence of one game is checked alone, and every change of it is found."""

import io
import json
import random
import shlex
import shutil
import struct
import zipfile
import zlib
from contextlib import suppress
from functools import reduce

import msgspec
import pytest
from cli.command_line import bot, call, call_ok, call_refused
from tournament.rulings import rule_game

from arbiter.director.bundle import verify_bundle
from arbiter.errors import ConfigError
from arbiter.tournament.results.evidence import GameEvidence, StoredRow
from arbiter.tournament.results.rulings import Decision
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.reasons import Stated

GAME = "hunter~random~1"


@pytest.fixture(scope="module")
def event(logged, tmp_path_factory):
    """Rule on a game of a tournament with logs, sign the digest, and write a bundle."""
    folder = tmp_path_factory.mktemp("event")
    results = shutil.copy(logged.parent / "results/club.sqlite", folder / "club.sqlite")
    rule_game(results, GAME, "draw", Decision(by="ann", reason=Stated("the power failed"), force=True))
    call_ok("keys", folder / "key")
    call_ok("verify", results, "--publish", folder / "digest.json", "--sign", folder / "key")
    write = ("games", results, "--id", GAME, "--bundle", folder / "game.zip", "--signature", folder / "digest.json")
    assert call(*write).exit_code == 0
    return folder


@pytest.fixture
def bundle(event, tmp_path):
    return shutil.copy(event / "game.zip", tmp_path / "game.zip")


def verify(path, *options):
    result = call("verify", path, "--json", *options)
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def read_files(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_files(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def test_a_bundle_is_checked_alone_and_says_what_it_proves(event, bundle, tmp_path):
    key = shutil.copy(event / "key.pub", tmp_path / "key.pub")
    code, found = verify(bundle, "--key", key)
    assert (code, found["faults"], found["game"]) == (0, [], GAME)
    assert found["signature"]["is_known_key"]
    assert "the result follows from the moves" in found["proved"]
    assert any("are those of the results with the digest" in one for one in found["proved"])
    assert any("the times on the clocks" in one for one in found["trusted"])
    digest = json.loads((event / "digest.json").read_text())["digest"]
    assert verify(bundle, "--digest", digest)[0] == 0
    assert verify(bundle, "--digest", "0" * 64)[0] == 1
    lines = call_ok("verify", bundle, "--key", key)
    assert "proved: every move and every fact follows the rules" in lines
    assert "on the word of the organiser: that these programs played" in lines


def test_the_content_of_a_bundle(event, bundle):
    files = read_files(bundle)
    about = json.loads(files["game.json"])
    assert about["game"]["id"] == GAME
    assert about["game"]["conditions"]["lag_ms"] >= 0
    assert [program["bot"] for program in about["programs"]] == ["hunter", "random"]
    assert [ruling["reason"]["text"] for ruling in about["rulings"]] == ["the power failed"]
    call("games", event / "club.sqlite", "--id", GAME, "--export", event / "records")
    assert files["record.jsonl"] == (event / "records" / f"{GAME}.jsonl").read_bytes()
    for seat in ("red", "blue"):
        assert [json.loads(line) for line in files[f"{seat}.log.jsonl"].splitlines()]
    times = json.loads(files["times.json"])
    assert len(times["acts"]) == about["game"]["plies"] + 2
    assert [act["act"] for act in times["acts"]] == [*range(1, len(times["acts"]) + 1)]
    assert times["slow_answers"].keys() == {"red", "blue"}
    again = event / "again.zip"
    call("games", event / "club.sqlite", "--id", GAME, "--bundle", again, "--signature", event / "digest.json")
    assert again.read_bytes() == bundle.read_bytes()


@pytest.mark.heavy
def test_a_loss_on_time_rests_on_the_word_of_the_organiser_and_shows_the_processor_time(tmp_path, fast_bot):
    slow = shlex.join(bot("sleeps_forever")["command"])
    options = ("--games", 2, "--set", "bank_s=0.3", "--results", tmp_path / "slow.sqlite")
    call("match", f"slow={slow}", f"fast={shlex.join(fast_bot)}", *options)
    game = "slow~fast~1"  # in the other one the fast bot might be too slow
    assert call("games", tmp_path / "slow.sqlite", "--id", game, "--bundle", tmp_path / "slow.zip").exit_code == 0
    code, found = verify(tmp_path / "slow.zip")
    assert code == 0
    assert found["trusted"][0] == "the end of the game (out of time)"
    assert found["proved"] == ["every move and every fact follows the rules"]
    *_, last = json.loads(read_files(tmp_path / "slow.zip")["times.json"])["slow_answers"]["red"]
    assert last["charged_ms"] is None
    assert last["elapsed_ms"] >= 300
    assert last["cpu_ms"] < last["measured_ms"] / 2


# --- attacks --------------------------------------------------------------------------------------


def change_rows(files, change):
    """Change the stored rows, and make all readable files from them, as a careful forger would."""
    evidence = msgspec.msgpack.decode(files["evidence.msgpack"], type=GameEvidence)
    rows = [*evidence.rows]
    change(rows)
    changed = msgspec.structs.replace(evidence, rows=tuple(rows))
    return files | {"evidence.msgpack": msgspec.msgpack.encode(changed)}


def change_the_winner(rows):
    rows[0].values[1 + StoredGame.__struct_fields__.index("winner")] = "blue"


def change_the_log(rows):
    rows[0].parts[2][0][2] = rows[0].parts[2][1][2]


def change_a_ruling(rows):
    rows[-1].values[3] = '{"code":"stated","text":"because I can"}'


ROWS = (change_the_winner, change_the_log, change_a_ruling)
FILES = [
    "README.txt",
    "game.json",
    "record.jsonl",
    "red.log.jsonl",
    "blue.log.jsonl",
    "times.json",
    "digest.json",
    "digest.json.sig",
]


@pytest.mark.parametrize("change", ROWS)
def test_changed_rows_are_found(bundle, change):
    write_files(bundle, change_rows(read_files(bundle), change))
    code, found = verify(bundle)
    assert (code, found["proved"]) == (1, [])
    assert any(fault.endswith("was changed") for fault in found["faults"])


def list_places(value, path=()):
    """List the paths of all values in nested lists and objects."""
    keys = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
    return [place for key in keys for place in ((*path, key), *list_places(value[key], (*path, key)))]


VALUES = (None, 0, -1, 2**63, 1.5, "", "x", "red", "\x1b[2J", b"", b"x", [], {}, [[1, b""]])


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(100, 3000, 100))]
)
def test_random_values_in_the_evidence_are_found(event, tmp_path, first):
    files = read_files(event / "game.zip")
    stored = files["evidence.msgpack"]
    places = list_places(msgspec.msgpack.decode(stored))
    bundle = tmp_path / "game.zip"
    for number in range(first, first + 100):
        rng = random.Random(number)
        evidence = msgspec.msgpack.decode(stored)
        *path, key = rng.choice(places)
        reduce(lambda value, step: value[step], path, evidence)[key] = rng.choice(VALUES)
        changed = msgspec.msgpack.encode(evidence)
        write_files(bundle, files | {"evidence.msgpack": changed})
        with suppress(ConfigError):
            assert changed == stored or verify_bundle(bundle).faults, number


@pytest.mark.parametrize("name", FILES)
def test_changed_and_missing_files_are_found(bundle, name):
    files = read_files(bundle)
    content = files[name]
    if name.endswith(".sig"):  # random letters, perhaps without an e
        middle = len(content) // 2
        changed = content[:middle] + (b"A" if content[middle : middle + 1] != b"A" else b"B") + content[middle + 1 :]
    else:
        changed = content.replace(b"e", b"f")
    write_files(bundle, files | {name: changed})
    result = call("verify", bundle)
    assert result.exit_code in (1, 2)
    del files[name]
    write_files(bundle, files)
    assert call("verify", bundle).exit_code == (0 if name == "digest.json" else 1)


def test_a_forged_chain_is_not_the_published_one(event, bundle):
    files = read_files(bundle)
    evidence = msgspec.msgpack.decode(files["evidence.msgpack"])
    evidence["chain"] = [link for link in evidence["chain"] if link[0] != "ruling"]
    evidence["rows"] = evidence["rows"][:-1]
    write_files(bundle, files | {"evidence.msgpack": msgspec.msgpack.encode(evidence)})
    _, found = verify(bundle)
    assert any("does not cover the game" in fault for fault in found["faults"])


def test_a_bundle_of_another_format_is_refused(bundle):
    files = read_files(bundle)
    evidence = msgspec.msgpack.decode(files["evidence.msgpack"]) | {"format": 2, "rows": 7}
    write_files(bundle, files | {"evidence.msgpack": msgspec.msgpack.encode(evidence)})
    why = "has format 2, but this arbiter reads format 1; use the arbiter that wrote it"
    assert call_refused("verify", bundle) == f"arbiter: {bundle}: {why}"


def zip_of(*members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def with_large_sizes():
    """Return a file whose directory names another size than that of its data."""
    data = bytearray(zip_of(("evidence.msgpack", b"\0" * 10**6)))
    place = data.index(b"PK\1\2")
    data[place + 24 : place + 28] = struct.pack("<I", 2**31)
    return bytes(data)


def evidence_bomb():
    packed = zlib.compress(bytes(60 * 2**20))
    rows = [["game", 1, [], [[[1, packed]], [], []]]]
    return zip_of(("evidence.msgpack", msgspec.msgpack.encode({"format": 1, "rows": rows, "chain": []})))


HOSTILE = {
    "nothing": lambda: b"",
    "no zip": lambda: b"PK\3\4" + bytes(999),
    "a bomb": lambda: zip_of(("evidence.msgpack", bytes(100 * 2**20))),
    "a bomb in the evidence": evidence_bomb,
    "other sizes": with_large_sizes,
    "an unknown name": lambda: zip_of(("evidence.msgpack", b""), ("../../x", b"")),
    "many files": lambda: zip_of(*((f"{number}", b"") for number in range(5000))),
    "another method": lambda: zip_of(("evidence.msgpack", b"x"), compression=zipfile.ZIP_BZIP2),
    "no evidence": lambda: zip_of(("game.json", b"{}")),
    "other evidence": lambda: zip_of(("evidence.msgpack", msgspec.msgpack.encode({"rows": [], "chain": []}))),
    "a nested value": lambda: zip_of(("evidence.msgpack", b"\x91" * 10**6)),
    "short digests": lambda: zip_of(("evidence.msgpack", msgspec.msgpack.encode({"rows": [], "chain": [["game", 1, ""]] * 9}))),
}  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bundles_are_one_line(tmp_path, make):
    (tmp_path / "game.zip").write_bytes(make())
    assert "game.zip: " in call_refused("verify", tmp_path / "game.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["game.zip"]


def test_a_bomb_in_any_row_is_refused(bundle):
    bomb = zlib.compress(bytes(20 * 2**20))
    write_files(bundle, change_rows(read_files(bundle), lambda rows: rows.append(StoredRow("other", 1, [bomb], []))))
    assert "a part of it is longer than 16 MiB" in call_refused("verify", bundle)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_names_are_refused(bundle):
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr("game.json", b"{}")
    assert "is not a bundle" in call_refused("verify", bundle)


def test_options_that_do_not_fit_are_refused(event, bundle, tmp_path):
    results = event / "club.sqlite"
    assert "add --bundle" in call_refused("games", results, "--signature", event / "digest.json")
    assert "name the game with --id" in call_refused("games", results, "--bundle", tmp_path / "x.zip")
    assert "must end in .zip" in call_refused("games", results, "--id", GAME, "--bundle", tmp_path / "x")
    assert "already exists" in call_refused("games", results, "--id", GAME, "--bundle", bundle)
    assert "there is no game" in call_refused("games", results, "--id", "x", "--bundle", tmp_path / "x.zip")
    assert "is a bundle" in call_refused("verify", bundle, "--publish", tmp_path / "x.json")
