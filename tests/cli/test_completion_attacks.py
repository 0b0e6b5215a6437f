"""Completion in real shells on a terminal, in a folder whose names try to run a command when Tab and Enter are pressed."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess

import pytest
from cli.command_line import ARBITER, write_program

STARTS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        'bind "set enable-bracketed-paste off"; PS1=ready; eval "$(_ARBITER_COMPLETE=bash_source arbiter)"',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -U compinit; compinit -u -D; unsetopt promptcr; PS1=ready; source <(_ARBITER_COMPLETE=zsh_source arbiter)",
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        "function fish_prompt; echo ready; end; _ARBITER_COMPLETE=fish_source arbiter | source",
    ),
}
ATTACKS = [
    "x$(touch${IFS}PWNED)",
    "x(touch PWNED)",  # runs in fish
    "x;touch PWNED;",
    "x'$(touch PWNED)'b",
    "x\nplain\nx$(touch PWNED)",
    "x`touch${IFS}PWNED`",
    'x"$(touch PWNED)"b',
    "x\ntouch PWNED\n",
    "x\n;touch PWNED;",
    "x\tb;touch PWNED;",
    "x,b;touch PWNED;",
    "x|touch PWNED|b",
    "x&touch PWNED&",
    "x>PWNED",
    "x<(touch PWNED)",
    "x=$(touch PWNED)",
    "x\x15touch PWNED\n",
    "x\x1b[2J$(touch PWNED)",
]
PARTS = [
    ATTACKS[:1],
    pytest.param(ATTACKS[1:4], marks=pytest.mark.heavy),
    pytest.param(ATTACKS[4:], marks=pytest.mark.slow),
]
WORDS = "\x01printf '<%s>' \x05 en''d"  # typed around a line: Enter shows its words instead of running the arbiter
WAIT_S = 60
_ESCAPES = re.compile(r"\x1b(\[[0-9;?>=]*[A-Za-z]|\][^\x07]*\x07|[=>()][A-Z0-9]?|P[^\x1b]*\x1b\\)")


class Shell:
    """An interactive shell in a folder, with the completion of the arbiter."""

    def __init__(self, name, folder):
        self._ours, its = pty.openpty()
        words, setup = STARTS[name]
        env = {"PATH": f"{ARBITER.parent}:{os.environ['PATH']}", "HOME": str(folder / "home"), "TERM": "xterm"}
        (folder / "home").mkdir(exist_ok=True)
        words = ["setsid", "--ctty", *words]  # the terminal controls the shell, or fish ends
        self.popen = subprocess.Popen(words, stdin=its, stdout=its, stderr=its, env=env, cwd=folder)
        os.close(its)
        self.send(f"{setup}; echo be''gun\r", until="begun")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        os.close(self._ours)

    def send(self, keys, until):
        """Press keys; return what appears until a text is seen."""
        os.write(self._ours, keys.encode())
        shown = ""
        while until not in shown:
            assert select.select([self._ours], [], [], WAIT_S)[0], shown
            shown += _ESCAPES.sub("", os.read(self._ours, 65536).decode(errors="replace"))
        return shown


@pytest.fixture(params=["bash", *(pytest.param(name, marks=pytest.mark.heavy) for name in ("zsh", "fish"))])
def shell(request, tmp_path):
    """Start a shell in an empty folder."""
    if shutil.which(request.param) is None or shutil.which("setsid") is None:
        pytest.skip(f"there is no {request.param} here")
    with Shell(request.param, tmp_path) as shell:
        yield shell


@pytest.fixture
def name_bot(tmp_path):
    """Return a function that writes a tournament file with a bot of any name."""

    def name_bot(name):
        command = json.dumps(str(write_program(tmp_path / "program", "#!/bin/sh\n")))
        bots = f"bots = [{{name = {json.dumps(name)}, command = [{command}]}}, {{name = 'random'}}]"
        (tmp_path / "club.toml").write_text(f"name = 'Club night'\nrules = 'duel'\n{bots}\n")

    return name_bot


def press_tab_and_enter(shell, line):
    """Complete a line with Tab and run it; return the words that the shell found in it."""
    return shell.send(f"{line}\t{WORDS}\r", until="<end>")


def list_names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "home")


COMPLETED = {
    "arbiter withdraw club.toml str": "<withdraw><club.toml><strange>",
    "arbiter suite fir": "<suite><first>",
    "arbiter suite first strat": "<suite><first><strategist>",
    "arbiter match a b --set two_sq": "<--set><two_squares=>",
    "arbiter match a b --rules us --option resc": "<--option><rescue>",
}


@pytest.mark.parametrize(
    "line", [next(iter(COMPLETED)), *(pytest.param(line, marks=pytest.mark.slow) for line in [*COMPLETED][1:])]
)
def test_words_are_completed(shell, name_bot, line):
    name_bot("strange")
    assert COMPLETED[line] in press_tab_and_enter(shell, line)


@pytest.mark.parametrize("names", PARTS, ids=len)
def test_a_name_of_a_bot_runs_no_command(shell, tmp_path, names, name_bot):
    for name in names:
        name_bot(name)
        press_tab_and_enter(shell, "arbiter withdraw club.toml x")
        assert list_names(tmp_path) == ["club.toml", "program"], name


@pytest.mark.parametrize("names", PARTS, ids=len)
def test_a_name_of_a_file_is_quoted(shell, tmp_path, names):
    for name in ["x bot", *names]:
        file = write_program(tmp_path / f"{name}.py", "")
        words = press_tab_and_enter(shell, "arbiter match x")
        assert list_names(tmp_path) == [file.name]
        assert f"<arbiter><match><{file.name}>" in words or not name.isprintable()
        file.unlink()
