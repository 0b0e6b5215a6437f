"""The command line: the list of commands; each is imported only when it is called."""

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from arbiter import __version__
from arbiter.cli.failures import open_closed_streams, report_errors

COMMANDS: Final[dict[str, dict[str, str]]] = {
    "Tournaments": {
        "new-tournament": "Write the tournament file of the next event.",
        "run": "Play or resume a tournament.",
        "schedule": "List the pairings of a tournament.",
        "status": "Show the status of a tournament running in another shell.",
        "stop": "Stop a tournament running in another shell.",
        "standings": "Show the standings, crosstable and ratings of a tournament.",
        "ratings": "Rate the bots of several results together, and compare them.",
        "season": "Show several events as one.",
        "ladder": "Close the term of a ladder, or list its terms.",
        "report": "Write a tournament as web pages.",
        "invite": "Invite a program that plays from its author's machine.",
        "submissions": "List the programs that authors have submitted.",
        "serve": "Serve a tournament to web browsers, live.",
        "backup": "Copy results, even during a run.",
        "keys": "Make the key that signs digests of results.",
        "scheduler": "Run the scheduler of a cluster.",
        "worker": "Play games on this machine for a cluster.",
        "certificates": "Write certificates for the connections of a cluster.",
    },
    "Rulings": {
        "withdraw": "Withdraw a bot from a tournament.",
        "rule": "Rule on the result of a game, or list the rulings.",
        "disqualify": "Disqualify a bot.",
        "reinstate": "Lift the suspension of a bot.",
    },
    "Bots": {
        "new-bot": "Write a simple bot as a starting point.",
        "match": "Play two bots against each other.",
        "queue": "Test versions of a bot from git, one after another.",
        "play": "Play against a bot yourself.",
        "check": "Test a bot before its first tournament.",
        "entry": "List the files that belong to a bot, and its digest.",
        "submit": "Submit a program to a tournament.",
        "suite": "Score a bot on a suite of positions.",
        "tune": "Find better values for parameters of a bot.",
        "setups": "Make a book of deployments from records or from a bot.",
        "kit": "Write the kit for bots in Python as a wheel.",
        "bots": "List the sample bots.",
    },
    "Games": {
        "games": "List and export the games of a tournament.",
        "replay": "Watch a game from the view of any player.",
        "export": "Write a game as a page, a picture or an animation.",
        "position": "Check, draw and convert a position, or show one of a game.",
        "explain": "Explain how a stored game was lost.",
        "feed": "Write what a bot was sent in a game, to answer it again.",
        "rerun": "Play a stored game again and compare.",
        "verify": "Check records against the rules, and results for tampering.",
    },
    "Information": {
        "rules": "Describe the rule sets.",
        "docs": "Show the documentation.",
        "doctor": "Check if this machine supports the sandbox.",
    },
}
"""The commands with their descriptions, by group."""
COMMAND_NAMES: Final = [name for group in COMMANDS.values() for name in group]


class CommandGroup(click.Group):
    """The commands of COMMANDS.  `--help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return COMMAND_NAMES

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command: `arbiter new-bot` is `arbiter.cli.commands.new_bot.new_bot`; the rulings share a module."""
        if cmd_name not in COMMAND_NAMES:
            return None
        name = cmd_name.replace("-", "_")
        module = f"arbiter.cli.commands.{'rulings' if cmd_name in COMMANDS['Rulings'] else name}"
        if module not in sys.modules:
            # What modules define stays: to look for garbage in it would slow this import, and stall a long run.
            gc.disable()
            try:
                import_module(module)
            finally:
                gc.freeze()
                gc.enable()
        command: click.Command = getattr(sys.modules[module], name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMAND_NAMES))
        for group, commands in COMMANDS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), about) for name, about in commands.items()])


@click.command(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="stratego-arbiter", prog_name="arbiter")
def arbiter() -> None:
    """Referee and tournament arbiter for bots that play the Stratego family of games."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line.  Default: the arguments of this process.  Raises SystemExit."""
    open_closed_streams()
    with report_errors():
        arbiter.main(arguments, prog_name="arbiter", standalone_mode=False)
