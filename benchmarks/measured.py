"""Figures that a benchmark has measured, with their targets."""

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Literal

from msgspec import Struct
from tabulate import tabulate

Cause = Literal["Python", "kernel", "Python and kernel", "disk", "nothing"]


class Measured(Struct, frozen=True):
    """One row of the table of targets."""

    what: str
    value: float
    unit: str
    """Unit of the value and of the target; empty for ratios."""
    depends_on: Cause
    """The part of the machine that changes the value most: the speed of its Python, of its kernel, or of its disk."""
    at_least: float | None = None
    at_most: float | None = None
    """One of both is the target; none for a figure without a target, or if the short form measures too little."""

    @property
    def target(self) -> str:
        if self.at_least is not None:
            return f"at least {self.at_least:,g} {self.unit}".rstrip()
        if self.at_most is not None:
            return f"at most {self.at_most:,g} {self.unit}".rstrip()
        return ""

    @property
    def is_reached(self) -> bool:
        low, high = self.at_least, self.at_most
        return (low is None or self.value >= low) and (high is None or self.value <= high)


def run_benchmark(name: str, is_full: bool) -> list[Measured]:
    """Run the benchmark of a module, which prints its own tables; return what it measured."""
    found: list[Measured] = import_module(f"benchmarks.{name}").main(is_full=is_full)
    return found


def write_help(name: str, text: str | None) -> str:
    """Write the help of a benchmark, from the text at the start of its module."""
    return f"python -m benchmarks {name} [--full]\n\n{(text or '').strip()}"


_script = sys.modules["__main__"]
_path = Path(getattr(_script, "__file__", None) or "")
if _path.parent == Path(__file__).parent and _path.stem != "__main__":  # a module that is run as a script
    print(write_help(_path.stem, _script.__doc__))
    sys.exit(0 if {"-h", "--help"} & {*sys.argv} else 2)


def write_share(count: float, total: int) -> str:
    """Write a share in percent with its standard error."""
    share = count / total
    return f"{100 * share:.1f} % ± {100 * (share * (1 - share) / total) ** 0.5:.1f}"


def write_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_table(rows: Sequence[Measured]) -> str:
    """Write the table of targets in Markdown."""
    cells = [
        (
            row.what,
            row.target,
            f"{row.value:,.3g} {row.unit}".rstrip() if row.value < 1000 else f"{row.value:,.0f} {row.unit}".rstrip(),  # noqa: PLR2004
            ("yes" if row.is_reached else "no") if row.target else "",
            row.depends_on,
        )
        for row in rows
    ]
    heads = ("measurement", "target", "measured", "reached", "depends on")
    return tabulate(cells, heads, tablefmt="github", disable_numparse=True)
