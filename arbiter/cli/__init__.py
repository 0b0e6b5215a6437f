"""The command line: the list of commands; each is imported only when it is called."""

from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from arbiter import __version__
from arbiter.cli.failures import open_closed_streams, report_errors

COMMANDS: Final[dict[str, str]] = {
    "run": "Play or resume a tournament.",
    "schedule": "List the pairings of a tournament.",
    "match": "Play two bots against each other.",
    "play": "Play against a bot yourself.",
    "status": "Show the status of a tournament running in another shell.",
    "stop": "Stop a tournament running in another shell.",
    "check": "Test a bot before its first tournament.",
    "suite": "Score a bot on a suite of positions.",
    "tune": "Find better values for parameters of a bot.",
    "withdraw": "Withdraw a bot from a tournament.",
    "rule": "Rule on the result of a game, or list the rulings.",
    "disqualify": "Disqualify a bot.",
    "reinstate": "Lift the suspension of a bot.",
    "standings": "Show the standings, crosstable and ratings of a tournament.",
    "ratings": "Rate the bots of several results together, and compare them.",
    "report": "Write a tournament as web pages.",
    "serve": "Serve a tournament to web browsers, live.",
    "games": "List and export the games of a tournament.",
    "replay": "Watch a game from the view of any player.",
    "position": "Check, draw and convert a position, or show one of a game.",
    "rerun": "Play a stored game again and compare.",
    "explain": "Explain how a stored game was lost.",
    "feed": "Write what a bot was sent in a game, to answer it again.",
    "verify": "Check records against the rules, and results for tampering.",
    "backup": "Copy results, even during a run.",
    "setups": "Make a book of deployments from records or from a bot.",
    "rules": "Describe the rule sets.",
    "bots": "List the sample bots.",
    "new-bot": "Write a simple bot as a starting point.",
    "kit": "Write the kit for bots in Python as a wheel.",
    "docs": "Show the documentation.",
    "worker": "Play games on this machine for a cluster.",
    "certificates": "Write certificates for the connections of a cluster.",
    "doctor": "Check if this machine supports the sandbox.",
}


class CommandGroup(click.Group):
    """The commands of COMMANDS.  `--help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command: `arbiter new-bot` is `arbiter.cli.commands.new_bot.new_bot`."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"arbiter.cli.commands.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="stratego-arbiter", prog_name="arbiter")
def arbiter() -> None:
    """Referee and tournament arbiter for bots that play the Stratego family of games."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line.  Default: the arguments of this process.  Raises SystemExit."""
    open_closed_streams()
    with report_errors():
        arbiter.main(arguments, prog_name="arbiter", standalone_mode=False)
