"""The files of the machine that a program is shown: its own folder, its toolchain, declared paths, nothing hidden."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.sandbox.files.links import Forbidden, find_needed, find_target, quote_path
from arbiter.sandbox.files.toolchains import find_toolchain, is_shared, is_system, is_within
from arbiter.sandbox.isolation import Program

_MAX_ENTRIES: Final = 256  # of a folder that contains hidden files; each is shown on its own, which takes time


class HiddenFiles(Struct, frozen=True):
    """Files and folders that no bot may read, even if they are in a folder that it sees."""

    files: tuple[Path, ...] = ()
    """Hidden with the files next to them whose names begin with theirs, such as copies that an editor makes."""
    folders: tuple[Path, ...] = ()
    """Hidden with all that is in them, unless a bot's own files are there."""


class View(Struct, frozen=True):
    """A folder that is shown without its hidden files: an empty folder, and in it each other entry.

    Names that appear later are not shown, so no hidden file becomes visible if the host replaces it.
    """

    folder: Path
    entries: tuple[tuple[Path, Path], ...]
    """Real path and path in the sandbox of each file and folder."""
    links: tuple[tuple[str, Path], ...]
    """Target and path of each symbolic link."""


class Visible(Struct, frozen=True):
    """The files and folders that a program is shown besides those of the system."""

    paths: tuple[tuple[Path, Path], ...] = ()
    """Real path and path in the sandbox of each file and folder, none of them inside another."""
    links: tuple[tuple[Path, Path], ...] = ()
    """Real path and path in the sandbox of each link to one of these, such as `lib64` in many Python environments."""
    views: tuple[View, ...] = ()
    fault: str | None = None
    """An explanation if the program asks for something that it must not have, or None."""


def find_visible(program: Program, hidden_files: HiddenFiles) -> Visible:
    """Find what a program is shown.  If it asks for too much, only its fault is returned."""
    try:
        paths = _find_paths(program)
        views = tuple(_find_views(program, hidden_files, paths))
    except (Forbidden, OSError) as error:
        return Visible(fault=str(error))
    replaced = [view.folder for view in views]
    links = tuple((real, path) for real, path in paths if _is_link_to_other(real, path, paths))
    mounts = tuple((real, path) for real, path in paths if path not in replaced and (real, path) not in links)
    return Visible(mounts, links, views)


def find_own(program: Program) -> tuple[Path, ...]:
    """Return a program's own folder, or of a shared folder only the files in it that the command names."""
    if not is_shared(program.folder.resolve()):
        return (program.folder,)
    files = map(Path, (*program.argv, *program.inner))
    return tuple(
        path for path in files if path.is_file() and is_within(path, [program.folder]) and find_toolchain(path) is None
    )


def _find_paths(program: Program) -> list[tuple[Path, Path]]:
    """Return the real path and the path in the sandbox of each file and folder that is shown.  Raises Forbidden."""
    base = program.folder if program.base is None else program.base
    wanted = {path: find_target(path, base) for path in (*find_own(program), *program.read)}
    for real in tuple(wanted.values()):
        wanted.setdefault(real, real)  # for programs that resolve their own path
    seen = tuple(wanted.values())
    for argv in (program.argv, program.inner):
        if argv:
            for path in find_needed(argv[0], base, seen):
                wanted.setdefault(path, path.resolve())
    wanted = {path: copy for path, real in wanted.items() if (copy := _find_copy(real, program)) is not None}
    if left_out := next((path for path in program.read if path not in wanted), None):
        raise Forbidden(f"read: {quote_path(left_out)} does not belong to the entry of the bot; take it back with `!`")
    kept: dict[Path, Path] = {}
    for path in sorted(wanted, key=lambda path: (len(path.parts), path)):
        around = next((folder for folder in kept if path.is_relative_to(folder)), None)
        if is_system(path) or (around and wanted[path] == kept[around] / path.relative_to(around)):
            continue
        kept[path] = wanted[path]
    return [(real, path) for path, real in kept.items()]


def _find_copy(real: Path, program: Program) -> Path | None:
    """Return the copy of a file or folder at a real path, or itself if it is not copied; None if it was left out."""
    for copy, original in program.copies:
        if real.is_relative_to(original.resolve()):
            found = copy / real.relative_to(original.resolve())
            return found if found.exists() else None
    return real


def _is_link_to_other(real: Path, path: Path, paths: Sequence[tuple[Path, Path]]) -> bool:
    """Return True for a link next to the folder to which it leads, if the sandbox can make it in a folder of its own.

    A mount takes more time.
    """
    is_beside = path.is_symlink() and path.parent == real.parent and (real, real) in paths
    return is_beside and not any(path.is_relative_to(other) for _, other in paths if other != path)


def _find_views(program: Program, hidden_files: HiddenFiles, paths: Iterable[tuple[Path, Path]]) -> Iterator[View]:
    """Yield the folders that are shown without their hidden files, outer ones first.  Raises Forbidden."""
    needed = [path.resolve() for path in (*find_own(program), *program.read)]
    # By their real paths; they may be links themselves, or not exist yet.
    files = (path.parent.resolve() / path.name for path in hidden_files.files)
    folders = (path.parent.resolve() / path.name for path in hidden_files.folders)
    hidden = [_existing(path, whole=False) for path in files]
    hidden += (_existing(path, whole=True) for path in folders if not any(one.is_relative_to(path) for one in needed))
    for parent in sorted({path.parent for path, _ in hidden}, key=lambda path: len(path.parts)):
        names = [(path.name, whole) for path, whole in hidden if path.parent == parent]
        for real, path in paths:
            around = [one for one, whole in hidden if whole and one.is_relative_to(real)]
            if parent.is_relative_to(real) and parent.is_dir() and not is_within(parent, around):
                yield _make_view(parent, path / parent.relative_to(real), names)


def _make_view(folder: Path, shown_as: Path, hidden: list[tuple[str, bool]]) -> View:
    entries = []
    links = []
    for entry in sorted(folder.iterdir()):
        if any(entry.name == name if whole else is_hidden_name(entry.name, name) for name, whole in hidden):
            continue
        if entry.is_symlink():
            links.append((str(entry.readlink()), shown_as / entry.name))
        elif entry.is_file() or entry.is_dir():
            entries.append((entry, shown_as / entry.name))
    if len(entries) > _MAX_ENTRIES:
        raise Forbidden(
            f"{folder} contains {len(entries)} files next to those that are hidden from bots, which are more than "
            f"{_MAX_ENTRIES}; keep tournament files and results in a folder of their own"
        )
    return View(shown_as, tuple(entries), tuple(links))


def is_hidden_name(name: str, hidden: str) -> bool:
    """Return True for the name of a hidden file, also with what copies, journals and locks add to it."""
    return name.lstrip(".#~").startswith(hidden.lstrip(".#~"))


def _existing(path: Path, *, whole: bool) -> tuple[Path, bool]:
    """Return what to hide for a path: if its folder does not exist yet, the first missing folder as a whole."""
    while not path.parent.is_dir():
        path = path.parent
        whole = True
    return path, whole


# --- bots that see each other ---------------------------------------------------------------------


def find_shared(programs: Sequence[Program]) -> Iterator[str]:
    """Yield a warning for each folder in which bots can read the files of others."""
    strangers = [program for program in programs if not program.trusted]
    named: dict[str, set[Path]] = {}
    for program in strangers:  # the files of its own folder that its command names, or else the folder
        words = (word for argv in (program.argv, program.inner) for word in argv if word.startswith("/"))
        files = {path.resolve() for path in map(Path, words) if path.is_relative_to(program.folder) and path.exists()}
        named[program.name] = files or {program.folder.resolve()}
    readers: dict[Path, dict[str, None]] = {}
    for reader, other in permutations(strangers, 2):
        foreign = named[other.name] - named[reader.name]
        for path in (path.resolve() for path in find_own(reader)):
            if any(file.is_relative_to(path) for file in foreign):
                readers.setdefault(path, {})[reader.name] = None
    for path, names in readers.items():
        yield f"{', '.join(names)} can read files of other bots in {path}; give each bot a folder of its own"
