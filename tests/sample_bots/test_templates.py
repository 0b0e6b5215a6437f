"""The bots to begin from play every rule set in both seats, before the referee and in the sandbox, and no nonsense stops them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chairs import NAMES, play_every_game
from referee.guarded import play_guarded
from referee.rig import play

import sample_bots
from arbiter.games.base import FORFEITS
from arbiter.games.overrides import Overrides
from arbiter.sandbox.program import Program
from sample_bots import TEMPLATES

FOLDER = Path(sample_bots.__file__).parent
SANITIZED = ["cc", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
STRICT = ["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


@pytest.fixture(scope="module", params=TEMPLATES, ids=[template.file for template in TEMPLATES])
def program(request, tmp_path_factory):
    """Return a template as a program that can be started."""
    template, folder = request.param, tmp_path_factory.mktemp("template")
    folder.chmod(0o755)  # as bots in a sandbox need it where the arbiter is root
    source = folder / template.file
    shutil.copy(FOLDER / template.file, source)
    paths = {"source": source, "program": source.with_suffix("")}
    if template.build:
        run(template.build.format(**paths).split())
    words = template.command.format(**paths).split()
    argv = (sys.executable, *words) if source.suffix == ".py" else (needed(words[0]), *words[1:])
    return Program(name=template.name, argv=argv, folder=folder)


def run(argv):
    needed(argv[0])
    subprocess.run(argv, check=True)


def needed(word):
    found = shutil.which(word)
    if found is None:
        pytest.skip(f"there is no {word} here")
    return found


@pytest.mark.parametrize("rules", NAMES)
def test_it_plays_a_whole_game_in_both_seats(program, rules):
    played = play(program, program, rules=rules, overrides=Overrides())
    assert played.result.ending not in FORFEITS, played.result
    assert played.result.ending != "void"


def test_it_plays_in_the_sandbox(sandbox, program):
    played = play_guarded(sandbox, program, program, rules="barrage", overrides=Overrides())
    assert played.result.ending not in FORFEITS, f"{played.result} {played.report.stderr}"


def test_it_plays_game_after_game_and_leaves_at_bye(program):
    play_every_game(program.argv)


def test_it_leaves_at_the_end_of_its_input(program):
    ended = subprocess.run(program.argv, input=b"", capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


HELLO = b'{"type":"hello","protocol":1,"arbiter":"a later one","greeting":{"type":"over","why":"\\"}"}}\n'


def test_it_skips_what_it_does_not_know(program):
    said = b'{"type":"weather","sky":["grey",{"type":"ask"}]}\n' + HELLO + b'{ "type" : "bye" }\n'
    ended = subprocess.run(program.argv, input=said, capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout.count(b"\n"), ended.stderr) == (0, 1, b"")
    assert b'"ready"' in ended.stdout


# --- C --------------------------------------------------------------------------------------------

C_SOURCE = FOLDER / "c_player.c"


def test_the_compiler_has_nothing_to_say(tmp_path):
    run([*STRICT, "-o", tmp_path / "bot", C_SOURCE])


def test_broken_lines_do_no_harm(tmp_path):
    """Cut a conversation off everywhere; the sanitizers end the program where it reads what is not there."""
    run([*SANITIZED, "-o", tmp_path / "bot", C_SOURCE])
    readme = (FOLDER.parent / "protocol" / "README.md").read_bytes().splitlines()
    lines = [line for line in readme if line.startswith(b'{"type":"') and b'"bye"' not in line]
    said = b"".join(line[:end] + b"\n" for line in lines for end in range(0, len(line) + 1, 7))
    ended = subprocess.run([tmp_path / "bot"], input=said, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert b"ERROR" not in ended.stderr
