"""The tournaments that are played while faults happen."""

import shutil
import subprocess
from pathlib import Path

from cli.command_line import SECRET, call, write_tournament
from msgspec import Struct
from msgspec.structs import replace

import sample_bots
from arbiter.tournament.results.store import Store

SAMPLE = Path(sample_bots.__path__[0]) / "c_player.c"
BOTS = 8
GAMES = 30  # at most, of the match
TIME = {"start_s": 60, "setup_s": 60, "bank_s": 300}


def build_bots(folder):
    """Build deterministic bots, each in a folder of its own; return the paths of their programs.

    They pause before each answer: a game takes seconds, but little processor time.  The words of the command are the
    microseconds of the pause, a token that identifies the process, and the name of the bot.
    """
    source = SAMPLE.read_text()
    for old, new in (
        ("#define _POSIX_C_SOURCE 200809L", "#define _DEFAULT_SOURCE\n#include <unistd.h>"),
        ("int main(void) {", "int main(int count, char **words) {"),
        (
            "        fflush(stdout);",
            "        usleep(count > 1 ? (useconds_t)atoi(words[1]) : 0);\n        fflush(stdout);",
        ),
    ):
        assert old in source
        source = source.replace(old, new)
    (folder / "player.c").write_text(source)
    subprocess.run(["cc", "-O2", "-o", folder / "player", folder / "player.c"], check=True)
    for number in range(BOTS):
        (folder / f"bot{number}").mkdir()
        shutil.copy(folder / "player", folder / f"bot{number}" / "player")
        (folder / f"bot{number}" / "name.txt").write_text(f"bot{number}")  # else all have the same digest
    return [folder / f"bot{number}" / "player" for number in range(BOTS)]


class Workload(Struct, frozen=True):
    """A tournament."""

    name: str
    words: tuple[str, ...]
    """Words of the command line besides the file or the bots."""
    bots: list[Path]
    settings: dict | None = None
    """Of the tournament file; None for a match."""
    is_served: bool = False
    may_end_early: bool = False
    fingerprints: dict[str, str] = {}
    """Of all games as one process plays them, by their ids."""

    def write(self, folder, name, pause_us, token):
        """Write the tournament file; return the words of the command line."""
        commands = {path.parent.name: [str(path), str(pause_us), token, path.parent.name] for path in self.bots}
        if self.settings is None:
            return (*self.words, *(f"{bot}={' '.join(command)}" for bot, command in commands.items()))
        bots = [{"name": bot, "command": command} for bot, command in commands.items()]
        return (*self.words, write_tournament(folder, name=name, bots=bots, time=TIME, **self.settings))


def make_workloads(folder):
    """Return all workloads, after playing their games in one process."""
    bots = build_bots(folder)
    swiss = Workload("swiss", ("run",), bots, {"format": "swiss", "rounds": 3, "games": 2}, is_served=True)
    league = Workload("league", ("run", "--live"), bots[:4], {"games": 4})
    clock = ("--time", "300+0.1", "--start", "60")
    match = Workload("match", ("match", "--rules", "duel", "--seed", "17", "--games", str(GAMES), *clock), bots[:2])
    sprt = Workload("match", (*match.words, "--sprt", "0,60"), bots[:2], may_end_early=True)
    return [
        replace(played, fingerprints=play_alone(workload, folder))
        for workload, played in ((swiss, swiss), (league, league), (match, sprt))
    ]


def play_alone(workload, folder):
    """Play a tournament in one process; return the fingerprints of its games by their ids."""
    results = folder / f"{workload.name}.sqlite"
    words = workload.write(folder, workload.name, 0, "alone")
    result = call(*words, "--results", results, "--secret", SECRET, "--jobs", "2")
    assert result.exit_code == 0, result.stderr
    with Store.read(results) as store:
        return {game.id: game.fingerprint for game in store.games_as_played()}
