"""Run benchmarks by name, each in a process of its own, and compare what they measure with the targets."""

import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Final

import click

from benchmarks.measured import Measured, run_benchmark, write_help, write_table

BENCHMARKS: Final = {
    "rules": "random play, acts and verify, against an empty loop",
    "learning": "games in one process: the API and the environments, against the rules alone; samples, against copies",
    "kit": "the kit for bots in Python, against a bare loop over the same lines",
    "run": "`arbiter run` from its start to its end, against a bare trio loop that passes the same lines",
    "ply": "the parts of a ply, and the whole against the same loop",
    "referee": "many games at a time, clocks, start and end, against the same loop",
    "series": "short games: new processes, processes that stay, and the bots without an arbiter",
    "remote": "games of remote programs over the loopback, in turn with pipes",
    "sandbox": "what the sandbox adds to a start and to each system call",
    "neighbours": "a quiet game next to bots that flood their pipes or use memory",
    "attacks": "an honest bot against opponents that keep every core busy",
    "channels": "what a bot carries from game to game by the time at which it ends them",
    "spectators": "a game that nobody watches, one with --live, and one with many spectators",
    "long_ladder": "a ladder of a million games: start, choice of a pair, memory",
    "live_pages": "20 bots, 2,000 games and 100 spectators while all cores are busy",
    "store": "storing games, reading 100,000 of them, memory, start of the program",
    "report": "the pages of 5,000 long games: size, and processor time to write them",
    "cluster": "1, 2, 4 and 8 worker processes, and the cost of a game for the coordinator",
    "cluster_scale": "1,000 simulated slots of a cluster, compared with the ideal",
    "soak": "thousands of short games: memory, descriptors and disk; only the disk may grow",
    "ladder": "each sample bot of the ladder against the next weaker one",
    "ratings": "processor time of ratings, and a comparison with another program",
    "intervals": "how often the intervals of ratings contain the true rating",
    "priors": "the same with a normal prior of strengths, and the errors of ratings",
    "cycles": "how often chance makes cycles, and how often one is listed",
    "candidates": "errors of tests of several candidates against one baseline",
    "sequential_tests": "errors, length and corrected estimates of sequential tests",
    "pairings": "Swiss rounds, compared with those of bbpPairings",
    "numbers_page": "the simulations of statistics above, written to docs/numbers.md with plots",
}
"""The modules of this folder with a function `main(*, is_full: bool) -> list[Measured]`, and what each measures."""


class Listing(click.Command):
    """A command that lists the benchmarks in its help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click defines it
        with formatter.section("Benchmarks"):
            formatter.write_dl(list(BENCHMARKS.items()))


@click.command(cls=Listing, add_help_option=False)
@click.argument("names", nargs=-1, metavar="all|NAME...", type=click.Choice(["all", *BENCHMARKS]))
@click.option("--full", "is_full", is_flag=True, help="Measure as long as the figures in the documentation need.")
@click.option("-h", "--help", "is_help", is_flag=True, help="Show this message, or what the named benchmarks do.")
@click.pass_context
def main(context: click.Context, names: tuple[str, ...], is_full: bool, is_help: bool) -> None:
    """Measure, and print a table of targets and measured values.

    Without --full, each benchmark takes at most a minute on two cores without other load.
    """
    if not names or (is_help and "all" in names):
        click.echo(context.get_help())
        return
    if is_help:
        click.echo("\n\n".join(write_help(name, import_module(f"benchmarks.{name}").__doc__) for name in names))
        return
    rows: list[Measured] = []
    has_failed = False
    for name in BENCHMARKS if "all" in names else dict.fromkeys(names):
        click.echo(f"--- {name}: {BENCHMARKS[name]}")
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # none inherits memory or threads from another
            try:
                rows += pool.submit(run_benchmark, name, is_full).result()
            except (Exception, SystemExit) as error:  # noqa: BLE001 - the others are measured all the same
                click.echo(f"{name} has failed: {type(error).__name__}: {error}", err=True)
                has_failed = True
        click.echo()
    click.echo(write_table(rows))
    sys.exit(has_failed)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
