"""Files on the disk: where the results of a tournament are, records, and other files to read and to write."""

import lzma
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arbiter.errors import ConfigError, write_command
from arbiter.packing import SAFE_BYTES
from arbiter.sandbox.files.entry import COMPANIONS
from arbiter.sandbox.files.untrusted import MOST_BYTES, read_file, read_start, write_into

SUFFIX: Final = ".sqlite"
TOML: Final = ".toml"
BUNDLE_SUFFIX: Final = ".zip"
RESULTS_FOLDER: Final = "results"
_SQLITE: Final = b"SQLite format 3\0"


def locate_file(place: Path, stem: str, suffix: str = SUFFIX) -> Path:
    """Return the file that `--results PLACE` names: PLACE, or a file in the folder PLACE.

    PLACE is a file if it is one already, or if its name has a suffix and it is no folder; otherwise it is a folder,
    which may not exist yet.
    """
    is_file = place.is_file() or (place.suffix != "" and not place.is_dir())
    return place if is_file else place / f"{stem}{suffix}"


def results_file(tournament: Path, place: Path | None) -> Path:
    """Return the results file of a tournament file: by `--results`, or in `results` next to the tournament file."""
    return locate_file(place or tournament.parent / RESULTS_FOLDER, tournament.stem)


def find_results(path: Path, place: Path | None = None) -> Path:
    """Find a results file.  Raises ConfigError.

    `path` is the results file, a folder with one results file, or a tournament file, which may have its results in
    another `place`.
    """
    if place is not None and path.suffix != TOML:
        raise ConfigError(f"--results {place}: is for a tournament file (*{TOML}), and {path} is not one; leave it out")
    if path.suffix == TOML:
        found = results_file(path, place)
        if path.is_file() and not found.exists():
            more = () if place is None else ("--results", place)
            run = write_command("run", path, *more)
            raise ConfigError(f"{path}: there are no results at {found}; `{run}` plays the tournament")
        path = found
    if not path.is_dir():
        return path
    files = sorted(path.glob(f"*{SUFFIX}"))
    if not files:
        raise ConfigError(f"{path}: contains no results file (*{SUFFIX})")
    if len(files) > 1:
        raise ConfigError(
            f"{path}: contains several results files; name one of {', '.join(file.name for file in files)}"
        )
    return files[0]


def find_folder(results: Path) -> Path:
    """Return the folder of the tournament that a results file belongs to: the one with `results`, or its own."""
    folder = results.absolute().parent
    return folder.parent if folder.name == RESULTS_FOLDER else folder


def find_source(path: Path, place: Path | None) -> Path:
    """Find a results file as `find_results` does, or return the path of a record.  Raises ConfigError."""
    if (results := _find_owner(path)) is not None:
        raise ConfigError(f"{path}: belongs to the results {results.name} and contains no game; name {results}")
    return find_results(path, place) if place is not None or is_results(path) else path


def find_sources(paths: Sequence[Path], place: Path | None) -> Iterator[Path]:
    """Find each path as `find_source` does.  Raises ConfigError.

    Files that belong to results that are named too are left out, so that a shell's `FOLDER/*` works.
    """
    return (find_source(path, place) for path in paths if _find_owner(path) not in paths)


def _find_owner(path: Path) -> Path | None:
    """Return the results to which a file next to them belongs, such as their lock; None if it is no such file."""
    for suffix in COMPANIONS:
        results = Path(str(path).removesuffix(suffix))
        if results != path and results.suffix == SUFFIX and results.is_file():
            return results
    return None


def is_results(path: Path) -> bool:
    """Return True if a path leads to results and not to a record."""
    if path.is_dir() or path.suffix in (SUFFIX, TOML):
        return True
    return read_start(path, len(_SQLITE)) == _SQLITE


def is_bundle(path: Path) -> bool:
    """Return True if a path leads to a protest bundle and not to a record."""
    return path.suffix == BUNDLE_SUFFIX


# --- records and other files ----------------------------------------------------------------------


_XZ: Final = b"\xfd7zXZ\0"
_OWN_STREAMS: Final = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def read_bytes(path: Path) -> bytes:
    """Read a file, or what the operator passes as a stream: `/dev/stdin`, `<(command)`.  Raises ConfigError."""
    try:
        if str(path).startswith(_OWN_STREAMS) and not path.is_file():
            with path.open("rb") as stream:
                return stream.read(MOST_BYTES)
        return read_file(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def read_plain_record(path: Path) -> bytes:
    """Read a record file, which may be compressed with xz, as reports offer it.  Raises ConfigError."""
    data = read_bytes(path)
    if not data.startswith(_XZ):
        return data
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_BYTES)
    try:
        record = unpacker.decompress(data, SAFE_BYTES)
    except (lzma.LZMAError, EOFError):
        raise ConfigError(f"{path}: is compressed, but damaged; download it again") from None
    if not unpacker.eof:
        raise ConfigError(f"{path}: is compressed, and cut off or longer than {SAFE_BYTES >> 20} MiB")
    return record


def read_head(path: Path, size: int) -> bytes:
    """Read the start of a file; nothing if it cannot be read."""
    return read_start(path, size)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file and make its folder.  Raises ConfigError."""
    with report_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_file_into(folder: Path, name: str, data: bytes) -> None:
    """Write a file below a folder; a link in its place is replaced, and links to folders are not followed.

    Raises ConfigError.
    """
    with report_write_errors(folder / name):
        folder.mkdir(parents=True, exist_ok=True)
        write_into(folder, name, data)


def write_new_file(path: Path, data: bytes, *, executable: bool = False, mode: int = 0o666) -> None:
    """Write a file that does not exist yet, and make its folder.  Raises ConfigError."""
    with report_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() or path.is_symlink():
            raise ConfigError(f"{path}: already exists and is not overwritten; name another file")
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
        if executable:
            path.chmod(path.stat().st_mode | 0o111)


@contextmanager
def report_write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a ConfigError."""
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
