"""From what an operator writes for a bot to a program that can be started."""

import os
import re
import shlex
import shutil
import sys
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

import sample_bots
from arbiter.errors import ConfigError, unknown_name
from arbiter.sandbox.program import Program
from arbiter.sandbox.toolchains import is_of_toolchain
from sample_bots import SAMPLE_BOTS
from sample_bots.bridges import BRIDGES

NAME_PATTERN: Final = r"\A[A-Za-z0-9][A-Za-z0-9._+-]{0,39}\Z"
Name = Annotated[
    str,
    Meta(
        pattern=NAME_PATTERN,
        description="1 to 40 of the characters A-Z a-z 0-9 . _ + - with a letter or a digit first",
    ),
]
# What is started, the program that it starts in its turn, and the folder that it works in.
_Start = tuple[tuple[str, ...], tuple[str, ...], Path]
Megabytes = Annotated[int, Meta(ge=16, le=1_048_576)]


class BotEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot as the operator names it; without a command it is the sample bot of that name.

    A human plays at the terminal, and has no program.
    """

    name: Name
    kind: Literal["program", "human"] = "program"
    command: list[str] | None = None
    memory_mb: Megabytes = 2048
    trusted: bool = False
    read: list[str] = []


def parse_bot(text: str, folder: Path) -> BotEntry:
    """Read a BOT of the command line: a sample bot's name, a path to a program, or a command line in quotes.

    Raises ConfigError.
    """
    if text in SAMPLE_BOTS:
        return BotEntry(name=text)
    try:
        words = [text] if _is_file(folder, text) else shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"bot {text!r}: {str(error).lower()}; close the quotes") from None
    if not any(words):
        raise ConfigError(
            f"bot {text!r}: names no bot; name a sample bot, a program by its path, or a command in quotes"
        )
    if len(words) == 1 and not _is_known(text, folder):
        raise unknown_name("bot", text, SAMPLE_BOTS, "a program of your own is named by its path, as in ./mybot.py")
    entry = BotEntry(name=_name_of(words, folder), command=words)
    try:
        program(entry, folder)
    except ConfigError as error:
        raise ConfigError(f"bot {text!r}: {error}") from None
    return entry


def _is_known(word: str, folder: Path) -> bool:
    """Tell whether a word may be meant for a program: it looks like a path, or is one, or a bridge's name."""
    return "/" in word or _is_file(folder, word) or word in BRIDGES or shutil.which(word) is not None


def _name_of(words: list[str], folder: Path) -> str:
    """Name a bot after the first word that is a file of its own, else after the program."""
    if words and words[0] in BRIDGES:
        words = _after_options(words)[1] or words
    own = next(
        (word for word in words if _is_file(folder, word) and not _runs_others(folder / word)),
        words[0] if words else "",
    )
    return name_after(own)


def parse_two_bots(bots: tuple[str, str], folder: Path) -> list[BotEntry]:
    """Read two BOTs of the command line; the second is renamed where both have one name.  Raises ConfigError."""
    one, two = (parse_bot(text, folder) for text in bots)
    if one.name.casefold() == two.name.casefold():
        same = program(two, folder)
        two = replace(two, name=f"{two.name[:38]}-2", command=two.command or list(same.argv), trusted=same.trusted)
    return [one, two]


def name_after(path: str | Path) -> str:
    """Name a bot after its program, in the characters that a name may have."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", Path(path).stem).lstrip("._+-")[:40] or "bot"


def program(entry: BotEntry, folder: Path) -> Program:
    """Resolve what starts a bot; its command is relative to `folder`.

    A word of the command that looks like a path and exists there becomes absolute, and the bot works in
    the folder of the first such word, so that it finds what lies beside its program.  Raises ConfigError.
    """
    folder = folder.absolute()
    argv, inner, home = _sample(entry.name) if entry.command is None else _started(entry.command, folder)
    return Program(
        name=entry.name,
        argv=argv,
        inner=inner,
        folder=home,
        memory_mb=entry.memory_mb,
        trusted=entry.trusted or entry.command is None,
        read=tuple(_declared(word, folder) for word in entry.read),
    )


def _declared(word: str, folder: Path) -> Path:
    path = folder / word
    if not word or not _exists(path):
        raise ConfigError(f"read: there is no {path}; name files and folders that the bot may read")
    return path


def _sample(name: str) -> _Start:
    if name not in SAMPLE_BOTS:
        raise unknown_name("sample bot", name, SAMPLE_BOTS, "a bot of your own needs a command")
    home = Path(sample_bots.__path__[0]).absolute()
    return _ours(SAMPLE_BOTS[name].module), (), home


def _ours(module: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-m", module)


def _started(command: list[str], folder: Path) -> _Start:
    """Resolve a command; behind a bridge's name and options stands that of the program that it starts."""
    if not command or command[0] not in BRIDGES:
        return _argv(command, folder), (), _home(command, folder)
    bridge = BRIDGES[command[0]]
    options, rest = _after_options(command)
    for option in options:
        if option not in bridge.options:
            raise ConfigError(f"command: {unknown_name(f'option of {bridge.name}', option, bridge.options)}")
    if not rest:
        raise ConfigError(f'command: {bridge.name} starts another program; name it, as in ["{bridge.name}", "./it"]')
    inner = _argv(rest, folder)
    return (*_ours(bridge.module), *options, "--", *inner), inner, _home(rest, folder)


def _after_options(command: list[str]) -> tuple[list[str], list[str]]:
    """Split what follows a bridge's name into its options and the command of the program; `--` may part them."""
    options = list(takewhile(lambda word: word.startswith("-") and word != "--", command[1:]))
    rest = command[1 + len(options) :]
    return options, rest[1:] if rest[:1] == ["--"] else rest


def _argv(command: list[str], folder: Path) -> tuple[str, ...]:
    if not command or not command[0]:
        raise ConfigError('command: is empty; write the program first, as in ["./mybot.py"]')
    if any("\0" in word for word in command):
        raise ConfigError("command: holds a NUL character, which no program can be given")
    rest = tuple(_absolute(word, folder) for word in command[1:])
    return (*_program_file(command[0], folder), *rest)


def _program_file(word: str, folder: Path) -> tuple[str, ...]:
    path = folder / word
    if "/" not in word and not _is_file(folder, word):
        return (_on_path(word, folder),)
    if not _exists(path):
        raise ConfigError(f"command: there is no program {path}")
    if path.is_dir():
        raise ConfigError(f"command: {path} is a folder, not a program; name the program in it")
    if path.suffix == ".py":
        _need(path, os.R_OK, "cannot be read", f"chmod +r {path}")
        return sys.executable, str(path)
    _need(path, os.X_OK, "has no run bit", f"chmod +x {path}")
    return (str(path),)


def _need(path: Path, right: int, lack: str, cure: str) -> None:
    if not os.access(path, right):
        raise ConfigError(f"command: {path} {lack}; run: {cure}")


def _on_path(word: str, folder: Path) -> str:
    found = shutil.which(word)
    if found is None:
        raise ConfigError(f"command: there is no program {word!r} in {folder} nor on the PATH")
    return str(Path(found).absolute())


def _home(command: list[str], folder: Path) -> Path:
    for word in command:
        if _is_own(word, folder) and not _runs_others(folder / word):
            path = folder / word
            return path if path.is_dir() else path.parent
    return folder


def _absolute(word: str, folder: Path) -> str:
    return str(folder / word) if _is_own(word, folder) else word


def _is_own(word: str, folder: Path) -> bool:
    """Tell whether a word looks like a path (a slash or a dot in it), is one, and is no tool of the system."""
    path = folder / word
    return ("/" in word or "." in word) and _exists(path) and not _is_tool(path)


def _is_tool(path: Path) -> bool:
    return str(path.parent) in os.get_exec_path()


def _runs_others(path: Path) -> bool:
    """Tell whether a program is there to run a bot, and is none: it says nothing of a bot's name and folder."""
    return _is_tool(path) or is_of_toolchain(path)


def _is_file(folder: Path, word: str) -> bool:
    return bool(word) and _exists(folder / word) and (folder / word).is_file()


def _exists(path: Path) -> bool:
    """Tell whether a path exists; a word that is too long to be one is none."""
    try:
        return path.exists()
    except OSError:
        return False
