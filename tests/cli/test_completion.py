"""Completion by the shell, through click's protocol, and in real shells."""

import json
import os
import shutil
import subprocess

import pytest
from cli.command_line import ARBITER, PATIENCE_S, call, call_ok, write_program, write_tournament

from arbiter.games.catalogue import RULE_SETS
from sample_bots.catalogue import SAMPLE_BOTS


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in a folder with a bot and a tournament file."""
    monkeypatch.chdir(tmp_path)
    write_program(tmp_path / "mybot.py", "")
    write_program(tmp_path / "native", "#!/bin/sh\n")
    write_program(tmp_path / "notes.txt", "", runs=False)
    write_tournament(tmp_path, bots=("hunter", "random", {"name": "strange", "command": ["./native"]}))
    return tmp_path


@pytest.fixture
def complete(monkeypatch):
    """Return a function that completes the last of some words; it returns the values and their kinds."""

    def complete(*words, shell="bash"):
        with monkeypatch.context() as patch:
            patch.setenv("_ARBITER_COMPLETE", f"{shell}_complete")
            patch.setenv("COMP_WORDS", " ".join(["arbiter", *map(str, words)]))
            patch.setenv("COMP_CWORD", str(len(words)) if shell != "fish" else str(words[-1]))
            result = call()
        assert (result.exit_code, result.stderr) == (0, "")
        return [line for line in result.stdout.splitlines() if line]

    return complete


def plain(*words):
    return [f"plain,{word}" for word in words]


CASES = {
    "mat": "match",
    "match ran": "random",
    "match random hun": "hunter",
    "match my": "mybot.py",
    "match na": "native",
    "match ucc": "ucc-bridge",
    "check clu": "club.toml",
    "play trac": "tracker",
    "queue ad": "add",
    "queue add my": "mybot.py",
    "setups strat": "strategist",
    "match random hunter --rules clone": "clone-wars clone-wars-powers",
    "check random --rules du": "duel",
    "rules barr": "barrage",
    "match random hunter --rules us --option r": "rescue",
    "check random --rules duel --rules us --option silent": "silent-defence",
    "check random --option r": "",
    "match random hunter --set clo": "clock= clock=cpu clock=wall",
    "tune random --set pondering=t": "pondering=true",
    "suite first hun": "hunter",
    "rules us --option r": "rescue",
    "rules du": "duel",
    "withdraw club.toml str": "strange",
    "withdraw no-such.toml str": "",
    "withdraw notes.txt str": "",
    "replay no-such.sqlite h": "",
    "docs tour": "tournaments",
    "standings club.toml --format c": "csv",
}


@pytest.mark.parametrize(("words", "expected"), CASES.items(), ids=CASES)
def test_words_are_completed(complete, words, expected):
    assert complete(*words.split()) == plain(*expected.split())


def test_all_bots_and_rule_sets_are_offered(complete, folder):
    assert {f"plain,{name}" for name in SAMPLE_BOTS} <= set(complete("match", "''"))
    assert complete("rules", "''") == plain(*(ruleset.name for ruleset in RULE_SETS))
    assert not any("notes" in line for line in complete("match", "''"))


PATHS = [
    "match ./my",
    "match zzz",
    "run clu",
    "standings clu",
    *(f"match random hunter --{x} x" for x in ("results", "events")),
]


@pytest.mark.parametrize("words", PATHS)
def test_paths_are_left_to_the_shell(complete, words):
    assert complete(*words.split()) == [f"file,{words.split()[-1]}"]


def test_games_and_bots_of_results_are_completed(complete, club):
    results = club.parent / "results" / "club.sqlite"
    ids = [json.loads(line)["id"] for line in call_ok("games", results, "--json").splitlines()]
    assert len(ids) == 12
    for command in ("replay", "rerun", "rule", "feed", "position", "games", "export"):
        words = [command, results, *(["--id"] if command == "games" else [])]
        assert sorted(complete(*words, "''")) == sorted(plain(*ids))
        assert complete(*words, ids[0]) == plain(ids[0])
        assert complete(*words, "x") == []
    assert complete("disqualify", results, "hu") == plain("hunter")
    assert complete("games", results, "--lost-by", "r") == plain("random")


def test_zsh_and_fish_receive_descriptions(complete):
    description = SAMPLE_BOTS["random"].description
    assert complete("match", "ran", shell="zsh") == ["plain", "random", description]
    assert complete("match", "ran", shell="fish") == [f"plain,random\t{description}"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_there_is_a_script_for_each_shell(monkeypatch, shell):
    monkeypatch.setenv("_ARBITER_COMPLETE", f"{shell}_source")
    script = call_ok()
    assert f"_ARBITER_COMPLETE={shell}_complete" in script
    assert "_arbiter_completion" in script


def run_shell(*argv):
    """Run a script of a shell that finds `arbiter`; return its output."""
    if shutil.which(argv[0]) is None:
        pytest.skip(f"there is no {argv[0]} here")
    env = {**os.environ, "PATH": f"{ARBITER.parent}:{os.environ['PATH']}", "TERM": "dumb"}
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env=env, timeout=PATIENCE_S)
    assert done.stderr == ""
    return done.stdout


def test_bash_completes_words():
    script = """
        eval "$(_ARBITER_COMPLETE=bash_source arbiter)"
        COMP_WORDS=(arbiter match hunter ran); COMP_CWORD=3
        _arbiter_completion arbiter
        echo "${COMPREPLY[@]}"
        complete -p arbiter
    """
    completed, registered = run_shell("bash", "--norc", "-c", script).splitlines()
    assert completed == "random"
    assert "-F _arbiter_completion arbiter" in registered


TYPED = [
    ("arbiter suite fir", "first"),
    ("arbiter match hunter random --set two", "two_squares="),
    ("arbiter match hunter random --rules us --option pr", "printed-army"),
]
"""Words on a command line, and the completion of the last one."""


@pytest.mark.heavy
def test_fish_completes_words():
    questions = "".join(f"; complete -C '{typed}'" for typed, _ in TYPED)
    output = run_shell("fish", "--no-config", "-c", f"_ARBITER_COMPLETE=fish_source arbiter | source{questions}")
    assert [line.split("\t")[0] for line in output.splitlines()] == [word for _, word in TYPED]


@pytest.mark.heavy
def test_zsh_completes_words_on_a_terminal():
    script = """
        zmodload zsh/zpty
        zpty shell 'zsh -f -i'
        zpty -w shell 'autoload -U compinit; compinit -u -D; eval "$(_ARBITER_COMPLETE=zsh_source arbiter)"'
        for typed word in "$@"; do
            zpty -w shell 'print ready-$((1 + 1))'
            zpty -r -m shell output '*ready-2*'
            zpty -w -n shell "$typed"$'\t'
            zpty -r -m shell output "*$word*"
            print -r -- "$word"
            zpty -w -n shell $'\\C-u'
        done
        zpty -d shell
    """
    output = run_shell("zsh", "-f", "-c", script, "zsh", *(word for pair in TYPED for word in pair))
    assert output.splitlines() == [word for _, word in TYPED]
