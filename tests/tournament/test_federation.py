"""Federation play: the rule set `isf`, the example tournament, and the table that names the source of each value."""

from pathlib import Path

from arbiter.games.catalogue import find_ruleset
from arbiter.tournament.config.tournament import load_tournament

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "arbiter/games/README.md").read_text(encoding="utf-8")
TOURNAMENT = load_tournament(ROOT / "tournaments/federation.toml")


def read_table():
    """Return the value and the source of each part."""
    section = PAGE.partition("\n## Federation play\n")[2].partition("\n## ")[0]
    table = section.partition("|---|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {part: (value, source) for part, value, _, source in rows}


def test_the_table_has_the_values_in_force_and_a_source_for_each():
    table = read_table()
    assert all(source for _, source in table.values())
    game, points = TOURNAMENT.game, TOURNAMENT.points
    starts = {
        "two squares": f"{game.two_squares} moves",
        "more squares": f"scope `{game.more_squares}`",
        "end of the period": f"a draw: the limit of {game.max_plies} plies",
        "plies without an attack": f"{game.no_attack_plies}: no limit",
        "points": f"win {points.win:g}, draw {points.draw:g}, loss {points.loss:g}",
        "both players lose by a ruling": f"{points.double_loss:g} for each",
        "forfeit": f"{points.forfeit:g}",
        "who moves first": game.first,
    }
    assert {part: table[part][0][: len(start)] for part, start in starts.items()} == starts


def test_the_example_changes_nothing_of_the_rule_set():
    isf = find_ruleset("isf")
    assert TOURNAMENT.game == isf
    assert (isf.two_squares, isf.more_squares, isf.no_attack_plies, isf.max_plies) == (3, "game", 0, 4000)
    points = TOURNAMENT.points
    assert (points.win, points.draw, points.loss, points.double_loss) == (6, 3, 1, 1)
