"""Wheels that a bot in Python brings: installed in the sandbox by the Python that runs it, or refused with a reason."""

import platform
import subprocess
import sys
from zipfile import ZipFile

import pytest

from arbiter.sandbox.files.archive import BadArchive, unpack
from arbiter.submissions.examine import find_submitted
from arbiter.submissions.sandboxed import CommandFailed
from arbiter.submissions.unwheel import fits
from arbiter.submissions.wheels import configure_bot, has_wheels, install_wheels
from arbiter.tournament.config.bot_config import PACKAGES, SubmittedFiles

PURE = "counting-1.0-py3-none-any.whl"
CONTENTS = {
    "counting/__init__.py": "TEN = 10\n",
    "counting/template.py": "{{ no Python }}\n",
    "counting-1.0.data/purelib/counting/more.py": "ELEVEN = 11\n",
    "counting-1.0.data/scripts/count": "#!python\n",
    "counting-1.0.dist-info/METADATA": "Name: counting\nVersion: 1.0\n",
}
HERE = f"cp{sys.version_info[0]}{sys.version_info[1]}"


@pytest.fixture
def folder(folder):
    """Return the folder of a bot with one wheel."""
    (folder / "wheels").mkdir(mode=0o755)
    (folder / "mybot.py").write_text("import counting\n")
    write_wheel(folder, PURE, CONTENTS)
    return folder


def write_wheel(home, name, contents):
    if contents is None:  # a damaged one
        (home / "wheels" / name).write_bytes(b"PK no archive")
        return
    with ZipFile(home / "wheels" / name, "w") as wheel:
        for path, text in contents.items():
            wheel.writestr(path, text)


def install(folder, *command):
    """Install the wheels in the folder of a bot, and return the folder with its packages."""
    archive = folder.parent / "made"
    install_wheels(find_submitted("deep", command, folder), archive)
    home = folder.parent / "files"
    home.mkdir()
    unpack(archive.read_bytes(), home, refuses_setuid=True)
    return home / PACKAGES


def test_packages_are_installed_compiled_and_found(folder):
    packages = install(folder, "./mybot.py")
    found = {str(path.relative_to(packages)) for path in packages.rglob("*") if path.is_file()}
    cached = {f"counting/__pycache__/{name}.{sys.implementation.cache_tag}.pyc" for name in ("__init__", "more")}
    assert found == {
        "counting/__init__.py",
        "counting/template.py",
        "counting/more.py",
        "counting-1.0.dist-info/METADATA",
        *cached,
    }
    packages.rename(folder / PACKAGES)
    env = configure_bot("deep", ["./mybot.py"], folder, SubmittedFiles(folder=".")).env
    shown = "import counting.more as more, counting; print(counting.TEN, more.ELEVEN, more.__cached__)"
    printed = subprocess.run(
        [sys.executable, "-c", shown], cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout
    assert printed == f"10 11 {folder}/{PACKAGES}/counting/__pycache__/more.{sys.implementation.cache_tag}.pyc\n"


@pytest.mark.heavy(keep=2)
@pytest.mark.parametrize(
    ("wheels", "why"),
    [
        ({"other-1.0-cp27-cp27m-win32.whl": {}}, "other-1.0-cp27-cp27m-win32.whl: is for another Python"),
        ({"counting-2.0-py3-none-any.whl": {}}, "are two versions of one package"),
        ({"Counting-2.0-py3-none-any.whl": {}}, "are two versions of one package"),
        ({"renamed.whl": {}}, "renamed.whl: is not the name of a wheel"),
        ({"broken-1-py3-none-any.whl": None}, "broken-1-py3-none-any.whl: cannot be unpacked"),
    ],
)
def test_wheels_that_cannot_be_used_are_named(folder, wheels, why):
    for name, contents in wheels.items():
        write_wheel(folder, name, contents)
    with pytest.raises(CommandFailed, match="exited with status 1") as failed:
        install(folder, "./mybot.py")
    assert why in failed.value.output


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("name", ["counting/../../../evil.py", "/etc/passwd", "../../evil.py"])
def test_no_member_leads_out_of_the_folder(folder, name):
    write_wheel(folder, "evil-1-py3-none-any.whl", {name: "x"})
    try:
        packages = install(folder, "./mybot.py")
    except BadArchive:
        return
    assert {path.name for path in packages.parent.iterdir()} == {PACKAGES}
    assert not (folder.parent / "evil.py").exists()


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize(
    ("contents", "why"),
    [
        ({"a": "x", "a/b": "x"}, "is a folder, and also a file"),
        ({f"{number}/{'a/' * 150}b": "x" for number in range(300)}, "more than 20000 files"),
    ],
)
def test_folders_of_packages_are_counted_before_they_are_made(folder, contents, why):
    write_wheel(folder, "wide-1-py3-none-any.whl", contents)
    with pytest.raises(BadArchive, match=why):
        install(folder, "./mybot.py")
    assert list((folder.parent / "files").iterdir()) == []


@pytest.mark.heavy
def test_a_wheel_that_grows_too_large_is_refused(folder):
    with ZipFile(folder / "wheels" / "huge-1-py3-none-any.whl", "w", compression=8) as wheel:
        for number in range(3):
            wheel.writestr(f"huge{number}", bytes(100 << 20))
    with pytest.raises(CommandFailed, match="makes more than 256 MiB"):
        install(folder, "./mybot.py")


def test_only_python_gets_packages_and_no_other_ones(folder):
    (folder / "run").write_text("#!/bin/sh\nexec python3 mybot.py\n")
    (folder / "run").chmod(0o755)
    with pytest.raises(CommandFailed, match="only Python can use the files in 'wheels', and sh runs this bot"):
        install(folder, "./run")
    (folder / PACKAGES).symlink_to("nowhere")
    with pytest.raises(CommandFailed, match="has a folder 'site-packages' already"):
        install(folder, "./mybot.py")


def test_a_folder_without_wheels_is_left_alone(folder):
    assert has_wheels(folder)
    (folder / "wheels" / PURE).unlink()
    assert not has_wheels(folder)
    (folder / "wheels").rmdir()
    (folder / "wheels").symlink_to(".")
    assert not has_wheels(folder)
    assert configure_bot("deep", ["./mybot.py"], folder, SubmittedFiles(folder=".")).env == {}


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("py3", "none", "any"), True),
        (("py2.py3", "none", "any"), True),
        (("py2", "none", "any"), False),
        (("py39", "none", "any"), True),
        (("py399", "none", "any"), False),
        ((HERE, HERE, f"linux_{platform.machine()}"), True),
        ((HERE, "none", "any"), True),
        ((HERE, f"{HERE}d", f"linux_{platform.machine()}"), False),
        (("cp38", "abi3", f"linux_{platform.machine()}"), True),
        (("cp38", "cp38", f"linux_{platform.machine()}"), False),
        (("cp399", "abi3", f"linux_{platform.machine()}"), False),
        (("py3", "none", "linux_other"), False),
        (("py3", "none", "win_amd64"), False),
        (("py3", "none", f"manylinux_2_999_{platform.machine()}"), False),
        (("graalpy", "none", "any"), False),
    ],
)
def test_tags_of_wheels(tags, expected):
    assert fits(*tags) is expected


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="allowed: only for systems with glibc")
def test_wheels_for_many_systems_fit():
    assert fits(HERE, HERE, f"manylinux_2_5_{platform.machine()}.manylinux1_{platform.machine()}")
    assert not fits(HERE, HERE, f"musllinux_1_2_{platform.machine()}")
