"""Files of unknown people: only regular ones are opened, nothing waits, and no link leads elsewhere."""

import os
import socket
import threading
import time
from pathlib import Path

import pytest

from arbiter.sandbox.files.interpreters import find_interpreter
from arbiter.sandbox.files.untrusted import (
    open_to_read,
    open_to_write,
    read_file,
    read_start,
    read_text,
    write_into,
    write_private,
)
from arbiter.sandbox.isolation import Program

APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


TRAPS = {
    "pipe": (os.mkfifo, "it is a named pipe"),
    "socket": (make_socket, "it is a socket"),
    "folder": (os.mkdir, "Is a directory"),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "it is a device"),
    "link to the terminal": (lambda path: path.symlink_to("/dev/tty"), "it is a device"),
    "link to the log of the kernel": (lambda path: path.symlink_to("/proc/kmsg"), "it belongs to the kernel"),
    "link to its own input": (lambda path: path.symlink_to("/proc/self/fd/0"), "it "),
    "link around a folder": (lambda path: path.symlink_to("/usr/../dev/../proc/self/environ"), "belongs to the kernel"),
    "link to itself": (lambda path: path.symlink_to(path.name), "it is a symbolic link"),
    "nothing": (lambda path: path.parent / "other", "No such file"),
}


@pytest.mark.parametrize(("make", "why"), TRAPS.values(), ids=TRAPS)
def test_nothing_but_a_regular_file_is_opened(tmp_path, make, why):
    path = tmp_path / "trap"
    make(path)
    with pytest.raises(OSError, match=why):
        open_to_read(path)
    assert read_start(path, 10) == b""


def test_a_name_with_a_nul_character_is_no_file():
    with pytest.raises(FileNotFoundError):
        open_to_read("a\0b")


def test_a_link_to_a_file_is_followed_only_if_its_name_was_chosen(tmp_path):
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r")
    (tmp_path / "link").symlink_to("file")
    assert read_text(tmp_path / "link") == "one\ntwo\n"
    with pytest.raises(OSError, match="it is a symbolic link"):
        open_to_read(tmp_path / "link", follow=False)


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(OSError, match="it has more than 262,144 KiB"):
        read_file(tmp_path / "sparse")


def test_a_file_that_is_replaced_again_and_again_is_read_or_refused(tmp_path):
    path, kept = tmp_path / "file", tmp_path / "kept"
    kept.write_text("mine")
    os.mkfifo(tmp_path / "pipe")
    is_over = threading.Event()

    def replace():
        while not is_over.is_set():
            for target in ("/dev/zero", tmp_path / "pipe", kept):
                make = Path.symlink_to if target == "/dev/zero" else Path.hardlink_to
                make(tmp_path / "new", target)
                (tmp_path / "new").replace(path)

    replacer = threading.Thread(target=replace)
    replacer.start()
    found, reads, end = set(), 0, time.monotonic() + 60
    try:
        while reads < 3000 or (found != {b"mine", b""} and time.monotonic() < end):
            found.add(read_start(path, 10))
            reads += 1
    finally:
        is_over.set()
        replacer.join()
    assert found == {b"mine", b""}


@pytest.mark.parametrize("trap", ["pipe", "socket", "link to a device", "link to itself"])
def test_nothing_but_a_regular_file_is_written(tmp_path, trap):
    TRAPS[trap][0](tmp_path / "trap")
    with pytest.raises(OSError, match="it is a"):
        open_to_write(tmp_path / "trap", APPEND)


def test_a_link_is_not_followed_when_a_file_is_written(tmp_path):
    (tmp_path / "precious").write_text("precious")
    for name in ("link", "gone"):
        (tmp_path / name).symlink_to("precious" if name == "link" else "made")
        with pytest.raises(OSError, match="it is a symbolic link"):
            open_to_write(tmp_path / name, APPEND)
        write_into(tmp_path, name, b"new")
        assert not (tmp_path / name).is_symlink()
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "made").exists()


def test_a_linked_folder_is_not_followed_when_a_file_is_written(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "report").mkdir()
    (tmp_path / "report/games").symlink_to("../elsewhere")
    with pytest.raises(OSError, match="Not a directory"):
        write_into(tmp_path / "report", "games/one.html", b"x")
    write_into(tmp_path / "report", "new/er/one.html", b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (tmp_path / "report/new/er/one.html").read_bytes() == b"x"


@pytest.mark.parametrize(
    "line", ["#!/usr/..{path}", "#!/usr/bin/env /usr/..{path}", "#!{path}", "#!/usr/bin/env {path}"]
)
@pytest.mark.parametrize("name", ["secret", "python3"])
def test_a_first_line_names_no_interpreter_outside_the_system(tmp_path, line, name):
    """The digest of a program contains that of its interpreter: it must not be a private file."""
    (tmp_path / "alice").mkdir()
    secret = tmp_path / name
    secret.write_text("1234")
    secret.chmod(0o755)
    script = tmp_path / "alice/bot"
    script.write_text(line.format(path=secret) + "\n")
    assert find_interpreter(Program(name="alice", argv=(str(script),), folder=script.parent)) is None


def test_a_file_can_be_read_while_it_is_replaced(tmp_path):
    file = tmp_path / "replaced"
    write_private(file, b"first")
    is_over = threading.Event()

    def replace_always():
        while not is_over.is_set():
            write_private(file, b"later")

    writer = threading.Thread(target=replace_always)
    writer.start()
    try:
        assert {read_file(file) for _ in range(3000)} <= {b"first", b"later"}
    finally:
        is_over.set()
        writer.join()
