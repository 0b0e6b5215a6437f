"""Builds of submitted programs: in the sandbox, without a network, within limits."""

import errno
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from cli.command_line import write_program
from msgspec.structs import replace

import sample_bots
from arbiter.sandbox.cgroups import NoCgroups, find_base
from arbiter.sandbox.files.archive import unpack
from arbiter.submissions import sandboxed
from arbiter.submissions.build import build
from arbiter.submissions.examine import find_submitted
from arbiter.submissions.sandboxed import CommandFailed
from sample_bots.catalogue import TEMPLATES

COMPILED = [template for template in TEMPLATES if template.build is not None]


def run_build(folder, *command):
    """Build the files in a folder by a command; return the folder of the result."""
    archive = folder.parent / "built"
    build(replace(find_submitted("deep", command, folder), folder=folder), archive)
    home = folder.parent / "unpacked"
    home.mkdir()
    unpack(archive.read_bytes(), home, refuses_setuid=True)
    return home / "bot"


@pytest.mark.parametrize(
    "template",
    [pytest.param(one, id=one.language, marks=[] if one.language == "c" else pytest.mark.slow) for one in COMPILED],
)
def test_each_compiled_starter_is_built(folder, template):
    source = Path(sample_bots.__path__[0]) / template.file
    shutil.copy(source, folder)
    command = template.build.format(source=source.name, program="mybot").split()
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    built = run_build(folder, *command)
    assert len(list(built.iterdir())) > 1
    assert (built / source.name).read_bytes() == source.read_bytes()


def test_paths_in_the_command_of_a_build_are_those_of_the_copy(folder):
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    (folder / "out").mkdir()
    built = run_build(folder, "cc", "-o", "./out/bot", "./main.c")
    assert (built / "out" / "bot").exists()


def test_two_names_of_one_file_are_two_files(folder):
    """Cargo links the program that it has built to a second name."""
    built = run_build(folder, "sh", "-c", "mkdir deps; echo built > deps/bot; ln deps/bot bot")
    assert [(built / name).read_text() for name in ("bot", "deps/bot")] == ["built\n", "built\n"]


@pytest.mark.heavy(keep=2)
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo broken on purpose >&2; exit 3", "exited with status 3"),
        ("timeout 2 python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9))'", "exited with status"),
        ("touch /usr/x", "exited with status"),
        ("head -c 100000000 /dev/zero > big", "exited with status"),
    ],
)
def test_what_fails_is_explained_with_the_output(folder, script, why):
    write_program(folder / "build.sh", f"#!/bin/sh\necho output >&2\n{script}\n")
    with pytest.raises(CommandFailed, match=why) as failed:
        run_build(folder, "./build.sh")
    assert "output" in failed.value.output


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("name", ["rustup", "rustc"])
def test_nothing_of_a_bot_runs_outside_the_sandbox(folder, name):
    ran = folder.parent / "ran"
    ran.touch()
    ran.chmod(0o666)
    write_program(folder / "rustup", f"#!/bin/sh\necho $0 $* >> {ran}\necho /bin/true\n")
    if name != "rustup":
        (folder / name).symlink_to("rustup")
    with suppress(CommandFailed):
        run_build(folder, f"./{name}", "which")
    assert ran.read_text() == ""


def test_a_sandbox_that_cannot_be_closed_is_a_failure_with_a_reason(folder, monkeypatch):
    async def fail(_process):
        raise FileNotFoundError(errno.ENOENT, "a file was replaced")

    monkeypatch.setattr(sandboxed.BotProcess, "confine", fail)
    with pytest.raises(CommandFailed, match=r"^a file was replaced$"):
        run_build(folder, "true")


@pytest.mark.parametrize("script", ["sleep 600 & sleep 600", "yes > /proc/$PPID/fd/1"])
def test_a_build_that_does_not_end_is_ended(folder, script, monkeypatch):
    monkeypatch.setattr(sandboxed, "MOST_S", 0.5)
    monkeypatch.setattr(sandboxed, "MOST_BYTES", 1 << 20)
    write_program(folder / "build.sh", f"#!/bin/sh\n{script}\n")
    with pytest.raises(CommandFailed, match=r"takes more than|makes more than|exited with status"):
        run_build(folder, "./build.sh")
    left = subprocess.run(["pgrep", "-f", str(folder)], capture_output=True, text=True, check=False).stdout
    assert left == ""


def test_all_processes_of_a_build_together_have_a_limit_of_memory(folder, monkeypatch):
    monkeypatch.setattr(sandboxed, "MOST_MB", 200)
    filler = "import time; kept = b'x' * (150 << 20); time.sleep(60)"
    write_program(folder / "build.sh", f'#!/bin/sh\nfor one in 1 2; do python3 -c "{filler}" & done\nwait\n')
    with pytest.raises(CommandFailed, match="memory"):
        run_build(folder, "./build.sh")


def test_a_build_has_a_control_group_of_its_own(folder):
    try:
        find_base()
    except NoCgroups as reason:
        pytest.skip(f"allowed: no control groups: {reason}")
    write_program(folder / "build.sh", "#!/bin/sh\ncat /proc/self/cgroup > group\n")
    assert "/arbiter-bots-" in (run_build(folder, "./build.sh") / "group").read_text()
