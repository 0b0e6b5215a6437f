"""The output for people contains words, never the identifiers of programs."""

import re
from typing import get_args

from cli.command_line import bot, call, call_ok, write_tournament

from arbiter.games.base import Ending
from arbiter.tournament.events import VoidCause

IDENTIFIERS = {name for name in (*get_args(Ending), *get_args(VoidCause)) if "_" in name}
GAME = "random~exits-at-once~1"


def find_identifiers(text):
    """Return the identifiers in a text, except in what bots wrote to stderr themselves."""
    lines = [line for line in text.splitlines() if " stderr: " not in line]
    return set(re.findall(r"[a-z]+(?:_[a-z]+)+", "\n".join(lines))) & IDENTIFIERS


def test_no_output_contains_an_identifier(tmp_path):
    """`forfeited (no_start)`, `no_attack_limit` and `illegal_setup` were printed."""
    bots = ["random", "stdlib", bot("exits_at_once")]
    file = write_tournament(tmp_path, bots=bots, draws={"no_attack_plies": 3}, name="words")
    report = tmp_path / "report"
    shown = {
        "run": call("run", file).stdout,
        "games": call_ok("games", file),
        "standings": call_ok("standings", file),
        "crosstable": call_ok("standings", file, "--show", "crosstable"),
        "status": call_ok("status", file),
        "verify": call_ok("verify", file),
        "explain": call_ok("explain", file, GAME),
        "replay": call_ok("replay", file, GAME, "--plain") + call_ok("replay", file, "random~stdlib~1", "--plain"),
        "report": call_ok("report", file, "-o", report),
        **{
            path.name: re.sub("<(script|pre).*?</", "", path.read_text(), flags=re.DOTALL)
            for path in report.rglob("*.html")
        },
    }
    found = {name: words for name, text in shown.items() if (words := find_identifiers(text))}
    assert found == {}
    assert "program did not start" in shown["games"]
    assert "3 plies without an attack" in shown["run"]
    assert '"no_start"' in call_ok("games", file, "--json")
