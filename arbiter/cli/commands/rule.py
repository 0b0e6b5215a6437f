"""`arbiter rule RESULTS GAME`: rule on the result of a stored game."""

from pathlib import Path
from typing import Final

import click

from arbiter.cli.completion import complete_game
from arbiter.cli.files import results_argument
from arbiter.cli.options import format_option, json_option, wide_option
from arbiter.cli.output import print_sheets
from arbiter.cli.rulings import make_decision, report_rulings, ruling_options
from arbiter.errors import ConfigError, write_command
from arbiter.show.tables.incidents import rulings_sheet
from arbiter.tournament.results.rulings import rule_game, undo_game_ruling
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import RuledResult

_RESULTS: Final[tuple[RuledResult, ...]] = ("red", "blue", "draw", "none")


@click.command
@results_argument
@click.argument("game", required=False, shell_complete=complete_game)
@click.option("--annul", is_flag=True, help="The game does not count and is not played again.")
@click.option("--replay", is_flag=True, help="The game does not count and is played again.")
@click.option("--result", type=click.Choice(_RESULTS), help="Give the game this result; none: both bots lose.")
@click.option("--undo", is_flag=True, help="Revert the last ruling on the game.")
@ruling_options
@wide_option
@format_option
@json_option
def rule(
    results: Path,
    game: str | None,
    result: RuledResult | None,
    because: str | None,
    by: str | None,
    form: str,
    *,
    annul: bool,
    replay: bool,
    undo: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Rule on the result of GAME in the tournament of RESULTS, which may be running; without GAME, list all rulings.

    Nothing is erased: the game as played stays in RESULTS, and --undo reverts a ruling. BOT~bye3 is the bye of BOT
    in round 3, in which BOT is red.
    """
    chosen = {"--annul": annul, "--replay": replay, "--result": result is not None, "--undo": undo}
    given = [option for option, is_given in chosen.items() if is_given]
    if game is None:
        if given or because is not None:
            example = write_command("rule", results, "hunter~random~1", "--annul", "--because", "TEXT")
            raise ConfigError(f"GAME is missing; name the game, as in `{example}`")
        with Store.read(results) as store:
            rulings = store.rulings()
        print_sheets([rulings_sheet(rulings)], "json" if as_json else form)
        return
    if len(given) != 1:
        found = f"{' and '.join(given)} exclude each other" if given else "the ruling is missing"
        raise ConfigError(f"{found}; give one of {', '.join(chosen)}")
    decision = make_decision(because, by, force=force)
    if undo:
        report_rulings([undo_game_ruling(results, game, decision)])
    else:
        report_rulings(
            [rule_game(results, game, "annulled" if annul else "replay" if replay else result or "none", decision)]
        )
