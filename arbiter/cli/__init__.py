"""The command line: the one list of commands, each loaded only when it is called."""

from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click

from arbiter import __version__
from arbiter.cli.failures import open_closed_streams, told_plainly

COMMANDS: Final[dict[str, str]] = {
    "run": "Play or resume a tournament.",
    "match": "Play two bots against each other.",
    "play": "Play against a bot yourself.",
    "status": "Show how a tournament stands that another shell plays.",
    "stop": "Stop a tournament that another shell plays.",
    "check": "Examine a bot before its first tournament.",
    "withdraw": "Take a bot out of a tournament under way.",
    "standings": "Show a tournament's table and crosstable.",
    "report": "Write a tournament as a folder of web pages.",
    "serve": "Show a tournament to browsers, also while it is played.",
    "games": "List and export a tournament's games.",
    "replay": "Watch a game from any seat.",
    "rerun": "Play a stored game again and compare.",
    "verify": "Referee records again from their acts alone.",
    "setups": "Make a book of deployments from records or from bots.",
    "rules": "Describe the rule sets.",
    "bots": "List the sample bots.",
    "new-bot": "Write a bot to begin with.",
    "doctor": "Say what this machine can promise about bots.",
}


class Commands(click.Group):
    """The commands of the list above; `--help` loads none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of the list."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command: `arbiter NAME` is `arbiter.cli.commands.NAME.NAME`, a hyphen in it an underscore there."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"arbiter.cli.commands.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands into the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="stratego-arbiter", prog_name="arbiter")
def arbiter() -> None:
    """Referee bots that play the Stratego family of games, and the tournaments around them."""


def main(words: Sequence[str] | None = None) -> None:
    """Run a command line: `words`, or what the program was called with.  Raises SystemExit."""
    open_closed_streams()
    with told_plainly():
        arbiter.main(words, prog_name="arbiter", standalone_mode=False)
