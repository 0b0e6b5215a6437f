"""Versions of a bot: commits of a git repository, checked out into folders of their own and built there."""

import os
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from arbiter.errors import ConfigError, ConfigErrors, unknown_name
from arbiter.sandbox.files.temporary import open_temporary
from arbiter.tournament.config.bot_config import BotConfig, make_bot_name, parse_bot, rebase_command
from arbiter.tournament.queue import Source

BUILD_LIMIT_S: Final = 3600
_LONGEST_NAME: Final = 28
_SHOWN_LINES: Final = 20  # of the output of a build that failed
_MOST_OUTPUT: Final = 1 << 16
_SHOWN_FILES: Final = 3
_POLL_S: Final = 0.2
_SPLIT: Final = re.compile(r"(?P<bot>.+)@(?P<rev>[^@\s{][^@\s]*(?:@\{[^}]*\})?)")
_SURROUNDINGS: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")  # set for hooks of git


# --- git ------------------------------------------------------------------------------------------


class Repository:
    """The git repository of a folder."""

    def __init__(self, folder: Path) -> None:
        """Find the repository.  Raises ConfigError."""
        self._folder = folder
        found = self._run("rev-parse", "--show-toplevel", "--show-prefix", fault=f"{folder}: ")
        top, prefix = (*found.split("\n"), "")[:2]
        self.top = Path(top)
        self._prefix = prefix.rstrip("/")

    def find(self, rev: str, build: str | None) -> Source:
        """Find the commit of a revision: a branch, a tag, or any other name of a commit.  Raises ConfigError."""
        commit = self._ask("rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}") if rev[:1] not in ("-", "") else ""
        if not commit:
            refs = ("refs/heads", "refs/remotes")
            known = self._ask("for-each-ref", "--format=%(refname:short)", *refs).splitlines()
            raise unknown_name("branch or commit", rev, known, "`git branch --all` lists the branches")
        about = self._run("log", "-1", "--no-show-signature", "--format=%cI%n%s", commit).split("\n")
        ref = self._ask("rev-parse", "--symbolic-full-name", rev)
        return Source(
            repository=str(self.top),
            commit=commit,
            label=re.sub(r"^refs/(heads|tags|remotes)/", "", ref) if ref.startswith("refs/") else "",
            subject=about[1] if len(about) > 1 else "",
            committed=about[0],
            prefix=self._prefix,
            build=build,
        )

    def has(self, rev: str) -> bool:
        """Return True if a text names a commit."""
        return rev[:1] != "-" and bool(self._ask("rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}"))

    def describe_uncommitted(self, source: Source) -> str:
        """Describe the changes that a version lacks although its branch is checked out; empty if there are none."""
        if self._ask("rev-parse", "HEAD") != source.commit:
            return ""
        lines = self._run("status", "--porcelain", "--untracked-files=all", "--", ".").splitlines()
        files = [line[3:] for line in lines]
        more = f" and {len(files) - _SHOWN_FILES} more" if len(files) > _SHOWN_FILES else ""
        return f"uncommitted changes are not tested: {', '.join(files[:_SHOWN_FILES])}{more}" if files else ""

    def check_out(self, commit: str, target: Path) -> None:
        """Write the files of a commit into a folder.  Raises ConfigError."""
        with open_temporary("arbiter-index-") as folder:
            index = {"GIT_INDEX_FILE": f"{folder}/index"}
            self._run("read-tree", commit, **index)
            modules = [line for line in self._run("ls-files", "--stage", **index).splitlines() if line[:6] == "160000"]
            if modules:
                raise ConfigError(
                    f"{self.top}: {modules[0].partition(chr(9))[2]} is a submodule, which is not checked out; put its "
                    "files into the repository of the bot"
                )
            self._run("-C", str(self.top), "checkout-index", "--all", "--force", f"--prefix={target}/", **index)

    def _ask(self, *words: str) -> str:
        """Return the output of git; nothing if it fails."""
        with suppress(ConfigError):
            return self._run(*words)
        return ""

    def _run(self, *words: str, fault: str = "", **variables: str) -> str:
        """Run git, and return its output without the last end of line.  Raises ConfigError with its message."""
        environment = {name: value for name, value in os.environ.items() if name not in _SURROUNDINGS}
        try:
            done = subprocess.run(  # noqa: S603 - a program of the operator
                ["git", *words],  # noqa: S607 - the operator's
                cwd=self._folder,
                env=environment | variables | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError:
            raise ConfigError(
                "git: is not installed, or not on the PATH; a queue tests versions of a repository"
            ) from None
        if done.returncode:
            said = " ".join(done.stderr.decode("utf-8", "replace").split()).removeprefix("fatal: ")
            if fault:
                raise ConfigError(f"{fault}{said}; change to the folder of the bot, in its git repository")
            raise ConfigError(f"git {words[0]}: {said or f'exit code {done.returncode}'}")
        return done.stdout.decode("utf-8", "replace").removesuffix("\n")


# --- files ----------------------------------------------------------------------------------------


def split_revision(text: str) -> tuple[str, str]:
    """Split BOT@REV; without @REV, the revision is HEAD."""
    found = None if Path(text).exists() else _SPLIT.fullmatch(text)
    return (found["bot"], found["rev"]) if found else (text, "HEAD")


def make_files(source: Source, queue: Path) -> None:
    """Check out the files of a version into the folder of a queue, and build them there.  Raises ConfigError.

    Nothing stays if that fails.
    """
    folder = queue / source.folder
    shutil.rmtree(folder, ignore_errors=True)  # what a killed arbiter left
    try:
        folder.mkdir(parents=True)
        Repository(Path(source.repository)).check_out(source.commit, folder)
        if source.build is not None:
            if not (folder / source.prefix).is_dir():
                raise ConfigError(f"--build: {source.short} has no folder {source.prefix}, in which it would run")
            _build(source.build, folder / source.prefix, source.short)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def find_bot(command: str, source: Source, queue: Path) -> BotConfig:
    """Find a bot in the files of a version; its command becomes relative to the folder of the queue.

    Raises ConfigError.
    """
    folder = queue / source.folder / source.prefix
    try:
        entry = parse_bot(command, folder)
    except ConfigError as error:
        text = str(error).replace(f"{folder}/", f"{source.short}:").replace(str(folder), source.short)
        hint = "" if source.build else ", or --build COMMAND makes them"
        raise ConfigError(f"{text}; a version has the files that are committed{hint}") from None
    if entry.command is None:
        raise ConfigError(f"bot {command!r}: is a sample bot, which has no versions; name your own program by its path")
    return replace(entry, command=rebase_command(entry.command, folder, queue))


def name_version(command: str, source: Source | None, taken: Iterable[str]) -> str:
    """Name a version by its branch and commit, and a sample bot by its name; with a number if the name is taken."""
    names = {name.casefold() for name in taken}
    label, commit = (command, "") if source is None else (source.label, f"-{source.short}")
    label = re.sub(r"[^A-Za-z0-9._+-]+", "-", label).lstrip("._+-") or make_bot_name(command.split(maxsplit=1)[0])
    ends = (f"{commit}{f'-{number}' if number > 1 else ''}" for number in count(1))
    named = (f"{label[: _LONGEST_NAME - len(end)]}{end}" for end in ends)
    return next(name for name in named if name.casefold() not in names)


def _build(command: str, folder: Path, version: str) -> None:
    """Run the command of a build in a folder.  Raises ConfigError with the end of its output if it fails."""
    until = time.monotonic() + BUILD_LIMIT_S
    output = b""
    with subprocess.Popen(  # noqa: S602 - a command of the operator
        command,
        shell=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None  # noqa: S101 - for the type
        pipe = process.stdout.fileno()
        try:
            while time.monotonic() < until:
                if select.select([pipe], [], [], _POLL_S)[0]:
                    more = os.read(pipe, _MOST_OUTPUT)
                    output = (output + more)[-_MOST_OUTPUT:]
                    if not more:
                        break
                elif process.poll() is not None:  # a program that it left in the background has the pipe open
                    break
            code = process.wait(timeout=max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if code:
        lines = output.decode("utf-8", "replace").strip().splitlines()[-_SHOWN_LINES:]
        fault = f"--build {command!r}: failed on {version} with exit code {code}"
        raise ConfigErrors([f"{fault}; the end of its output:" if lines else f"{fault} and no output", *lines])
    if code is None:
        raise ConfigError(f"--build {command!r}: did not end on {version} within {BUILD_LIMIT_S} s")
