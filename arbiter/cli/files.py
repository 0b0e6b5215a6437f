"""Files named on the command line: results and records."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arbiter.errors import ConfigError
from arbiter.tournament.results.store import Store

SUFFIX: Final = ".sqlite"
RESULTS_FOLDER: Final = "results"
_SQLITE: Final = b"SQLite format 3\0"


def results_file(tournament: Path, folder: Path | None) -> Path:
    """Name the results of a tournament file: in `results` beside it, or in a folder of choice."""
    return (folder or tournament.parent / RESULTS_FOLDER) / f"{tournament.stem}{SUFFIX}"


def open_results(path: Path) -> Store:
    """Open results to read: a results file, or what `results_path` takes for one.  Raises ConfigError."""
    return Store.read(results_path(path))


def results_path(path: Path) -> Path:
    """Find a results file: itself, the only one of a folder, or that of a tournament file.  Raises ConfigError."""
    if path.suffix == ".toml":
        path = _results_of(path)
    return _only_results(path) if path.is_dir() else path


def is_results(path: Path) -> bool:
    """Say whether a path is results, a folder of them or a tournament file, rather than a record."""
    if path.is_dir() or path.suffix in (SUFFIX, ".toml"):
        return True
    return path.is_file() and read_bytes(path).startswith(_SQLITE)


def _results_of(tournament: Path) -> Path:
    found = results_file(tournament, None)
    if tournament.is_file() and not found.exists():
        raise ConfigError(f"{tournament}: has no results in {found}; `arbiter run {tournament}` plays it")
    return found


def _only_results(folder: Path) -> Path:
    found = sorted(folder.glob(f"*{SUFFIX}"))
    if not found:
        raise ConfigError(f"{folder}: holds no results, which are files named *{SUFFIX}")
    if len(found) > 1:
        raise ConfigError(f"{folder}: holds several results; name one of {', '.join(path.name for path in found)}")
    return found[0]


def named_records(paths: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    """Read records, each with what it is called: files, and all games of results.  Raises ConfigError."""
    for path in paths:
        if not is_results(path):
            yield str(path), read_bytes(path)
            continue
        with open_results(path) as store:
            for game in store.games():
                yield f"{path}:{game.id}", store.record(game.id)


def read_bytes(path: Path) -> bytes:
    """Read a file.  Raises ConfigError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, making its folder.  Raises ConfigError."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_new(path: Path, data: bytes, *, runs: bool = False) -> None:
    """Write a file that must not be there yet, making its folder; `runs` makes it a program.  Raises ConfigError."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() or path.is_symlink():
            raise ConfigError(f"{path}: is there already, and nothing is overwritten; name another file")
        with path.open("xb") as file:
            file.write(data)
        if runs:
            path.chmod(path.stat().st_mode | 0o111)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what keeps a file from being written into what the operator must mend."""
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
