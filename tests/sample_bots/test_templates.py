"""The templates play every rule set in both seats, also in the sandbox, and handle broken input."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bot_games import NAMES, play_every_game
from referee.real_games import play
from referee.sandboxed_games import play_in_sandbox

import sample_bots
from arbiter.games.base import FORFEITS
from arbiter.games.ruleset import Overrides
from arbiter.sandbox.isolation import Program
from sample_bots.catalogue import TEMPLATES

FOLDER = Path(sample_bots.__file__).parent
FIRST = 4  # of the templates; `arbiter check` examines the others in the test of `new-bot`
SANITIZED = ["cc", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
STRICT = ["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


@pytest.fixture(scope="module", params=TEMPLATES, ids=[template.file for template in TEMPLATES])
def program(request, tmp_path_factory):
    """Return a template as a program that can be started."""
    template = request.param
    folder = tmp_path_factory.mktemp("template")
    folder.chmod(0o755)  # bots in a sandbox need this if the arbiter runs as root
    source = folder / template.file
    shutil.copy(FOLDER / template.file, source)
    paths = {"source": source, "program": source.with_suffix("")}
    if template.build:
        run(template.build.format(**paths).split())
    words = template.command.format(**paths).split()
    argv = (sys.executable, *words) if source.suffix == ".py" else (find_command(words[0]), *words[1:])
    return Program(name=template.name, argv=argv, folder=folder)


def run(argv):
    find_command(argv[0])
    subprocess.run(argv, check=True, timeout=300)


def find_command(word):
    found = shutil.which(word)
    if found is None:
        pytest.skip(f"{word} is not installed")
    return found


@pytest.mark.parametrize("rules", NAMES)
@pytest.mark.heavy
@pytest.mark.slow(keep=12)
def test_it_plays_a_whole_game_in_both_seats(program, rules):
    played = play(program, program, rules=rules, overrides=Overrides())
    assert played.result.ending not in FORFEITS, played.result
    assert played.result.ending != "void"


@pytest.mark.slow(keep=FIRST)
def test_it_plays_in_the_sandbox(sandbox, program):
    played = play_in_sandbox(sandbox, program, program, rules="barrage", overrides=Overrides())
    assert played.result.ending not in FORFEITS, f"{played.result} {played.game.log.stderr}"


@pytest.mark.slow(keep=FIRST)
def test_it_plays_several_games_and_exits_after_bye(program):
    play_every_game(program.argv)


@pytest.mark.slow(keep=FIRST)
def test_it_exits_at_the_end_of_its_input(program):
    ended = subprocess.run(program.argv, input=b"", capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


HELLO = b'{"type":"hello","protocol":1,"arbiter":"a later one","greeting":{"type":"over","why":"\\"}"}}\n'


@pytest.mark.slow(keep=FIRST)
def test_it_skips_unknown_messages_and_fields(program):
    conversation = b'{"type":"weather","sky":["grey",{"type":"ask"}]}\n' + HELLO + b'{ "type" : "bye" }\n'
    ended = subprocess.run(program.argv, input=conversation, capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout.count(b"\n"), ended.stderr) == (0, 1, b"")
    assert b'"ready"' in ended.stdout


@pytest.mark.parametrize("template", TEMPLATES, ids=[template.file for template in TEMPLATES])
def test_a_template_is_short(template):
    assert len((FOLDER / template.file).read_text().splitlines()) < 200


# --- C --------------------------------------------------------------------------------------------

C_SOURCE = FOLDER / "c_player.c"


def test_the_compiler_prints_no_warning(tmp_path):
    run([*STRICT, "-o", tmp_path / "bot", C_SOURCE])


def test_broken_lines_cause_no_memory_error(tmp_path):
    """Cut lines off at many places; the sanitizers end the program if it reads outside its memory."""
    run([*SANITIZED, "-o", tmp_path / "bot", C_SOURCE])
    readme = (FOLDER.parent / "protocol" / "README.md").read_bytes().splitlines()
    lines = [line for line in readme if line.startswith(b'{"type":"') and b'"bye"' not in line]
    conversation = b"".join(line[:end] + b"\n" for line in lines for end in range(0, len(line) + 1, 7))
    ended = subprocess.run([tmp_path / "bot"], input=conversation, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert b"ERROR" not in ended.stderr
