"""A bot's program: what to start, where, and how far it is trusted."""

from pathlib import Path

from msgspec import Struct


class Program(Struct, frozen=True, kw_only=True):
    """A program to start: its arguments, its folder, its memory limit in MiB, what else it may read.

    `inner` are the arguments of another program that it starts in its turn, empty where it starts none.
    """

    name: str
    argv: tuple[str, ...]
    inner: tuple[str, ...] = ()
    folder: Path
    memory_mb: int = 2048
    trusted: bool = False
    read: tuple[Path, ...] = ()
