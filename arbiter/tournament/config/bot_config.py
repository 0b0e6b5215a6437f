"""Bots as configured: find the program that a [[bots]] table or a BOT of the command line names."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct, field
from msgspec.structs import replace

import sample_bots
from arbiter.errors import ConfigError, check_known, unknown_name
from arbiter.sandbox.files.toolchains import find_toolchain, is_interpreter, is_on_path
from arbiter.sandbox.files.untrusted import read_start
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.event_data import BotDetails
from sample_bots.bridges import BRIDGES
from sample_bots.catalogue import SAMPLE_BOTS

NAME_PATTERN: Final = r"\A[A-Za-z0-9][A-Za-z0-9._+-]{0,39}\Z"
BotName = Annotated[
    str,
    Meta(
        pattern=NAME_PATTERN,
        description="1 to 40 of the characters A-Z a-z 0-9 . _ + - with a letter or a digit first",
    ),
]
PACKAGES: Final = "site-packages"
"""Folder of a bot in Python with packages that it brings."""
OWN_PACKAGES: Final = ("PYTHONPATH", PACKAGES)
"""The environment variable with which its Python finds them."""
RoundNumber = Annotated[int, Meta(ge=1, le=1000)]
Variable = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z_][A-Za-z0-9_]{0,99}\Z",
        description="a name of letters, digits and _, with a letter or _ first",
    ),
]
VariableValue = Annotated[
    str, Meta(pattern=r"\A[^\0]{0,10000}\Z", description="text in quotes, without NUL characters")
]
Rating = Annotated[int, Meta(ge=1, le=9999)]
Megabytes = Annotated[int, Meta(ge=16, le=1_048_576)]

_SAMPLE_MODULES: Final = [[bot.module] for bot in SAMPLE_BOTS.values()]
_ENVIRONMENTS: Final = ("venv", ".venv", "env", ".env")  # usual names of a virtual environment in a bot's folder


class SubmittedFiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entry of a submitted program: words of its command are files there, and nowhere else."""

    folder: str
    """Relative to the folder of the tournament file."""
    digest: str = ""
    """Digest of the program when it was examined; empty before."""
    interpreter: str = ""
    """Its interpreter then."""


class BotConfig(BotDetails, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot as the operator writes it."""

    name: BotName
    command: list[str] | None = None
    """None for the sample bot of that name, and for players that are not programs of this machine."""
    memory_mb: Megabytes = 2048
    trusted: bool = False
    read: list[str] = field(default_factory=list)
    """Files and folders that the bot may read."""
    env: dict[Variable, VariableValue] = field(default_factory=dict)
    """Environment variables of the program."""
    absent: list[RoundNumber] = field(default_factory=list)
    """Rounds of a Swiss tournament in which the bot is absent."""
    submitted: SubmittedFiles | None = None
    """None for a program of the operator; no tournament file contains it."""
    parent: str | None = None
    """The bot of a ladder that this one is a new version of."""
    rating: Rating | None = None
    """Rating before the tournament, for tie-breaks."""


def parse_bot(text: str, folder: Path) -> BotConfig:
    """Read a BOT of the command line: the name of a sample bot, a path to a program, or a command line in quotes.

    `NAME=` in front of it names the bot.  Raises ConfigError.
    """
    name, sign, rest = text.partition("=")
    if sign and re.fullmatch(NAME_PATTERN, name) and not _is_file(folder, text):
        return rename_bot(parse_bot(rest, folder), name, folder)
    if text in SAMPLE_BOTS:
        return BotConfig(name=text)
    try:
        words = [text] if _is_file(folder, text) else shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"bot {text!r}: {str(error).lower()}; close the quotes") from None
    if not any(words):
        raise ConfigError(f"bot {text!r}: is empty; name a sample bot, the path of a program, or a command in quotes")
    may_be_program = "/" in text or _is_file(folder, text) or text in BRIDGES or shutil.which(text) is not None
    if len(words) == 1 and not may_be_program:
        raise unknown_name("bot", text, SAMPLE_BOTS, "name your own program by its path, as in ./mybot.py")
    # The name comes from the first word that is a file of the bot's own, else from the program.
    named = (_split_bridge(words)[1] or words) if words[0] in BRIDGES else words
    own = (word for word in named if _is_file(folder, word) and not _runs_others(folder / word))
    config = BotConfig(name=make_bot_name(next(own, named[0])), command=words)
    try:
        find_program(config, folder)
    except ConfigError as error:
        raise ConfigError(f"bot {text!r}: {error}") from None
    return config


def parse_bots(bots: Sequence[str], folder: Path) -> list[BotConfig]:
    """Read BOTs of the command line; those with the name of an earlier one get a number.  Raises ConfigError."""
    configs: list[BotConfig] = []
    for text in bots:
        config = parse_bot(text, folder)
        names = {one.name.casefold() for one in configs}
        numbered = (f"{config.name[:36]}-{number}" for number in count(2))
        if config.name.casefold() in names:
            config = rename_bot(config, next(name for name in numbered if name.casefold() not in names), folder)
        configs.append(config)
    return configs


def rename_bot(config: BotConfig, name: str, folder: Path) -> BotConfig:
    """Return a bot with another name and the same program, with its command.  Raises ConfigError."""
    program = find_program(config, folder)
    return replace(config, name=name, command=config.command or list(program.argv), trusted=program.trusted)


def make_bot_name(path: str | Path) -> str:
    """Make a name for a bot from its program's, with the characters that a name may have."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", Path(path).stem).lstrip("._+-")[:40] or "bot"


def find_program(config: BotConfig, folder: Path) -> Program:
    """Find the program that a bot is started with; its command is relative to `folder`, or to its entry.

    Words of the command that look like a path and exist there become absolute.  The bot works in the folder of the
    first such word, so that it finds the files next to its program.  All other words stay as they are.
    Raises ConfigError, for example if a submitted program leads out of its entry.
    """
    if config.submitted is not None:
        return _find_submitted(config, config.submitted, folder)
    folder = folder.absolute()
    inner: tuple[str, ...] = ()
    if config.command is None:
        check_known("sample bot", config.name, SAMPLE_BOTS, "a bot of your own needs a command")
        argv = _python_module(SAMPLE_BOTS[config.name].module)
        home = Path(sample_bots.__path__[0]).absolute()
    elif config.command and config.command[0] in BRIDGES:
        argv, inner, home = _resolve_bridge(config.command, folder)
    else:
        argv = _resolve_command(config.command, folder)
        is_sample = config.command[1:3] == ["-I", "-m"] and config.command[3:] in _SAMPLE_MODULES
        home = Path(sample_bots.__path__[0]).absolute() if is_sample else _find_home(config.command, folder)
    for word in config.read:
        if not word or not _exists(folder / word):
            raise ConfigError(f"read: there is no {folder / word}; name files and folders that the bot may read")
    return Program(
        name=config.name,
        argv=argv,
        inner=inner,
        folder=home,
        base=folder,
        memory_mb=config.memory_mb,
        trusted=config.trusted or config.command is None,
        read=tuple(folder / word for word in config.read),
        environment=tuple(config.env.items()),
    )


def _find_submitted(config: BotConfig, submitted: SubmittedFiles, folder: Path) -> Program:
    """Find a submitted program, whose author knows the names of all files next to it.  Raises ConfigError."""
    home = Path(os.path.normpath(folder.absolute() / submitted.folder))
    if config.command is None or config.read:
        raise ConfigError("submitted: needs a command, and reads only files of its entry; leave out `read`")
    for word in config.command:
        if word.startswith(("/", "~")) or ".." in Path(word).parts:
            raise ConfigError(
                f"command: {word!r} leads out of the folder of the bot; name files in it, and interpreters by their "
                "names alone"
            )
        if _exists(home / word) and not (home / word).resolve().is_relative_to(home.resolve()):
            raise ConfigError(f"command: {word!r} is a link out of the folder of the bot; submit the file itself")
    try:
        program = find_program(replace(config, submitted=None), home)
    except ConfigError as error:
        raise ConfigError(str(error).replace(str(home), ".")) from None  # its author reads it too
    first = Path((program.inner or program.argv)[0])
    is_known = first.is_relative_to(home) or is_on_path(first) or first == Path(sys.executable)
    if not (is_known and program.folder.is_relative_to(home)):
        raise ConfigError(
            f"command: {shlex.join(config.command)} runs no file of the bot; submit a program of your own"
        )
    examined = (submitted.digest, submitted.interpreter) if submitted.digest else None
    return replace(program, base=folder.absolute(), examined=examined)


def rebase_command(command: list[str], old: Path, new: Path) -> list[str]:
    """Return a command whose files are in the folder `old`, with paths relative to the folder `new`."""
    bridged = len(_split_bridge(command)[1]) if command and command[0] in BRIDGES else len(command)
    first = len(command) - bridged  # the number of the program's word
    return [
        rebase_path(word, old, new) if _is_own(word, old) or (number == first and _is_file(old, word)) else word
        for number, word in enumerate(command)
    ]


def rebase_path(path: str, old: Path, new: Path) -> str:
    """Return a path that is relative to the folder `old`, relative to the folder `new`; absolute ones stay."""
    if not path or Path(path).is_absolute():
        return path
    moved = os.path.relpath(old.absolute() / path, new.absolute())
    return moved if "/" in moved else f"./{moved}"


def _python_module(module: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-m", module)


def _resolve_bridge(command: list[str], folder: Path) -> tuple[tuple[str, ...], tuple[str, ...], Path]:
    """Return the command that is started, the inner one that the bridge starts, and the folder to work in."""
    bridge = BRIDGES[command[0]]
    options, rest = _split_bridge(command)
    for option in options:
        if option not in bridge.options:
            raise ConfigError(f"command: {unknown_name(f'option of {bridge.name}', option, bridge.options)}")
    if not rest:
        raise ConfigError(f'command: {bridge.name} starts another program; name it, as in ["{bridge.name}", "./it"]')
    inner = _resolve_command(rest, folder)
    return (*_python_module(bridge.module), *options, "--", *inner), inner, _find_home(rest, folder)


def _split_bridge(command: list[str]) -> tuple[list[str], list[str]]:
    """Split the words after a bridge's name into its options and the inner command; `--` may be between them."""
    options = list(takewhile(lambda word: word.startswith("-") and word != "--", command[1:]))
    rest = command[1 + len(options) :]
    return options, rest[1:] if rest[:1] == ["--"] else rest


def _resolve_command(command: list[str], folder: Path) -> tuple[str, ...]:
    if not command or not command[0]:
        raise ConfigError('command: is empty; write the program first, as in ["./mybot.py"]')
    if any("\0" in word for word in command):
        raise ConfigError("command: contains a NUL character, which cannot be passed to a program")
    rest = (str(folder / word) if _is_own(word, folder) else word for word in command[1:])
    return (*_resolve_program(command[0], folder), *rest)


def _resolve_program(word: str, folder: Path) -> tuple[str, ...]:
    """Resolve the first word of a command; Python runs a `.py` file."""
    path = folder / word
    if "/" not in word and not _is_file(folder, word):
        found = shutil.which(word)
        if found is None:
            raise ConfigError(f"command: there is no program {word!r} in {folder} or on the PATH")
        return (str(Path(found).absolute()),)
    if not _exists(path):
        raise ConfigError(f"command: there is no program {path}")
    if path.is_dir():
        raise ConfigError(f"command: {path} is a folder; name the program in it")
    if path.suffix == ".py":
        if not os.access(path, os.R_OK):
            raise ConfigError(f"command: {path} cannot be read; run: chmod +r {path}")
        return sys.executable, str(path)
    if source := explain_source(path, word):
        raise ConfigError(f"command: {path} {source}")
    if not os.access(path, os.X_OK):
        raise ConfigError(f"command: {path} is not executable; run: chmod +x {path}")
    return (str(path),)


def _find_home(command: list[str], folder: Path) -> Path:
    """Return the folder that a bot works in, from the words of the command alone: its files have no say in that."""
    for word in command:
        if _is_own(word, folder) and not _runs_others(folder / word):
            path = folder / word
            return path if path.is_dir() else path.parent
    interpreter = Path(os.path.normpath(folder / command[0]))
    if not (_is_own(command[0], folder) and interpreter.is_relative_to(folder)):
        return folder
    if len(command) == 1 or interpreter.parent.name != "bin":
        return interpreter.parent
    environment = interpreter.parent.parent
    return environment.parent if environment.name in _ENVIRONMENTS else environment


def _is_own(word: str, folder: Path) -> bool:
    """Return True if a word looks like a path (with a slash or a dot), exists, and is not a tool of the system."""
    path = folder / word
    return ("/" in word or "." in word) and _exists(path) and not is_on_path(path)


def _runs_others(path: Path) -> bool:
    """Return True for a program that runs a bot without being one, such as an interpreter."""
    return is_on_path(path) or is_interpreter(path.name) or find_toolchain(path) is not None


def _is_file(folder: Path, word: str) -> bool:
    return bool(word) and _exists(folder / word) and (folder / word).is_file()


def _exists(path: Path) -> bool:
    """Return True if a path exists; a word that is too long for a path does not."""
    try:
        return path.exists()
    except OSError:
        return False


# --- files that cannot be started as they are -----------------------------------------------------


_COMPILERS: Final = {
    ".c": "cc -O2 -o {program} {file}",
    ".cc": "c++ -O2 -o {program} {file}",
    ".cpp": "c++ -O2 -o {program} {file}",
    ".cxx": "c++ -O2 -o {program} {file}",
    ".go": "go build -o {program} {file}",
    ".hs": "ghc -O2 -o {program} {file}",
    ".rs": "rustc -O --crate-name bot -o {program} {file}",
}
"""Command that compiles a file, by its ending."""
_RUNNERS: Final = {
    ".class": "java -cp {folder} {name}",
    ".cs": "dotnet run {file}",
    ".dll": "dotnet {file}",
    ".jar": "java -jar {file}",
    ".java": "java {file}",
}
"""Command that runs a file, by its ending."""
_BINARY: Final = (".class", ".dll", ".jar")  # Linux can be configured to run these if they are executable
_FORMATS: Final = Path("/proc/sys/fs/binfmt_misc")
"""A file for each format of programs that Linux was configured to run with an interpreter (binfmt_misc)."""
_MOST_MAGIC: Final = 256  # bytes of a file that Linux compares
_SCRIPT: Final = (b"#!", b"//usr/", b"///usr/")  # the first line names its interpreter, or is a command of the shell


def explain_source(path: Path, word: str) -> str | None:
    """Explain how to start a file that cannot be started as it is; None if it is no such file.

    `word` is the path as the user wrote it.
    """
    program = word.removesuffix(path.suffix)
    words = {
        "file": shlex.quote(word),
        "program": shlex.quote(program),
        "folder": shlex.quote(str(Path(word).parent)),
        "name": shlex.quote(path.stem),
    }
    is_script = read_start(path, len(max(_SCRIPT, key=len))).startswith(_SCRIPT)
    if os.access(path, os.X_OK) and (_is_known_format(path) if path.suffix in _BINARY else is_script):
        return None
    if compiler := _COMPILERS.get(path.suffix):
        return f"is source code; compile it and name the compiled program: {compiler.format(**words)}"
    if runner := _RUNNERS.get(path.suffix):
        return f'is not started by itself; write a command in quotes, such as "{runner.format(**words)}"'
    return None


def _is_known_format(path: Path) -> bool:
    """Return True if Linux runs such files, by their ending or by their first bytes, with an interpreter."""
    try:
        entries = [entry.read_text() for entry in _FORMATS.iterdir() if entry.name not in {"register", "status"}]
    except OSError:
        return False
    start = read_start(path, _MOST_MAGIC)
    for entry in entries:
        fields = {name.rstrip(":"): value for name, _, value in (line.partition(" ") for line in entry.splitlines())}
        if "enabled" not in fields:
            continue
        magic = bytes.fromhex(fields.get("magic", ""))
        mask = bytes.fromhex(fields.get("mask", "ff" * len(magic)))
        found = start[int(fields.get("offset", "0")) :][: len(magic)]
        is_like = len(found) == len(magic) and all((a ^ b) & c == 0 for a, b, c in zip(found, magic, mask, strict=True))
        if is_like if magic else fields.get("extension") == path.suffix:
            return True
    return False
