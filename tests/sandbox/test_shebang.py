"""The first line of a script: read as the kernel of this machine reads it."""

import os
import subprocess
import sys

import pytest

from arbiter.sandbox.files.links import FaultyScript, parse_first_line, read_interpreter, read_words

LONG = b"/" + b"x" * 300

LINES = [
    (b"#!/bin/sh\n", b"/bin/sh"),
    (b"#! \t /bin/sh \t -e  x \t\n", b"/bin/sh"),
    (b"#!/bin/sh\t-e\n", b"/bin/sh"),
    (b"#!/bin/sh", b"/bin/sh"),
    (b"#!/bin/sh\0x\n", b"/bin/sh"),
    (b"#!/bin/a b\n", b"/bin/a"),
    (b"#!\v/bin/sh\n", b"\v/bin/sh"),
    (b"#!/bin/s\fh x\n", b"/bin/s\fh"),
    (b"#!/bin/sh\r\n", b"/bin/sh\r"),
    (b"#!/bin/\xff\xfe\n", b"/bin/\xff\xfe"),
    (b"#!\n/bin/sh\n", None),
    (b"#! \t\n", None),
    (b" #!/bin/sh\n", None),
    (b"#/bin/sh\n", None),
    (b"\x7fELF", None),
    (b"", None),
    (b"#!" + b" " * 300 + b"/bin/sh\n", None),
    (b"#!" + LONG + b"\n", None),
    (b"#!/bin/sh " + LONG + b"\n", b"/bin/sh"),
    (b"#!" + LONG[:252] + b"\n", LONG[:252]),
    (b"#!" + LONG[:253] + b"\n", LONG[:253]),
    (b"#!" + LONG[:253] + b" x\n", LONG[:253]),
    (b"#!" + LONG[:254] + b"\n", None),
]


@pytest.mark.parametrize(("start", "expected"), LINES, ids=lambda value: repr(value)[:40])
def test_first_lines(start, expected):
    assert parse_first_line(start) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="allowed: other kernels read first lines in another way")
@pytest.mark.parametrize(
    "start", [start for start, _ in LINES if start.startswith(b"#!")], ids=lambda value: repr(value)[:40]
)
def test_the_kernel_agrees(tmp_path, start):
    """The kernel runs the interpreter that was found if it exists; without one it calls the script no program."""
    name = parse_first_line(start)
    short = None if name is None else b"./" + b"i" * (len(name) - 2)
    script = tmp_path / "script"
    script.write_bytes(start if name is None else start.replace(name, short, 1))
    script.chmod(0o755)
    if name is None:
        with pytest.raises(OSError, match="Exec format error"):
            subprocess.run([script], cwd=tmp_path, check=False)
        return
    with pytest.raises(FileNotFoundError):
        subprocess.run([script], cwd=tmp_path, check=False)
    if len(short) < 250:
        (tmp_path / os.fsdecode(short)).symlink_to("/bin/echo")
        shown = subprocess.run([script], cwd=tmp_path, check=True, capture_output=True).stdout
        assert shown.rstrip(b"\n").endswith(os.fsencode(script))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#!python3\n", r"^names 'python3', which is not an absolute path; write one, such as #!/usr/bin/env python3$"),
        ("#!/usr/\x1b[2J\n", r"^names '/usr/\\x1b\[2J', which contains control characters"),
        ("#!/usr/bin/python3\r\n", r"^ends with a carriage return, as on Windows; convert the file: sed"),
    ],
)
def test_faulty_first_lines_are_explained(tmp_path, line, why):
    (tmp_path / "script").write_text(line, newline="")
    with pytest.raises(FaultyScript, match=why):
        read_interpreter(tmp_path / "script")


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert [read_interpreter(path) for path in (tmp_path / "pipe", tmp_path, tmp_path / "gone")] == [None] * 3
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert read_interpreter(tmp_path / "zero") is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#! /usr/bin/env  -S node --flag \t\n", ["/usr/bin/env", "-S node --flag"]),
        ("#!/bin/sh\n", ["/bin/sh"]),
        ("#!\v/bin/sh x\n", ["\v/bin/sh", "x"]),
        ("sh\n", []),
    ],
)
def test_the_rest_of_the_line_is_one_argument(tmp_path, line, words):
    (tmp_path / "script").write_text(line)
    assert read_words(tmp_path / "script") == words
