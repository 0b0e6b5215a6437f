"""Unrated games of a submission against the version of its author that plays, before it is promoted."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import trio
from msgspec.structs import replace

from arbiter.director.run import Run, hide_files, make_unstored_run
from arbiter.director.venue import open_bots
from arbiter.errors import write_count
from arbiter.preflight.evidence import Finding
from arbiter.preflight.harness import diagnose
from arbiter.sandbox.select import SANDBOXED
from arbiter.submissions.store import Submission, Submissions
from arbiter.submissions.versions import find_playing, make_version, name_version
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.results.manifest import Manifest, new_manifest
from protocol.words import BLUE, RED, Seat

MOST_S: Final = 600.0  # for all games


def play_trial(
    manifest: Manifest, submissions: Submissions, submission: Submission, results: Path, hidden: Sequence[Path]
) -> Finding:
    """Play pairs of games against the version that plays; no bot can read the results and the `hidden` files.

    Raises ConfigError.
    """
    file = manifest.tournament
    parent = _find_parent(file, submissions, submission.bot, Path(manifest.folder))
    if parent is None:
        return Finding("skipped", "no version of its author plays that it could be compared with")
    own = make_version(submissions, submission, Path(manifest.folder))
    games = 2 * file.submissions.pairs
    trial = file.with_bots(f"{own.name} against {parent.name}", [own, parent], games)
    tournament = resolve(trial, Path(manifest.folder))
    played: list[NewResult] = []
    with open_bots(SANDBOXED, tournament.programs, lambda _text: None, hide_files(results, *hidden)) as bots:
        tournament = replace(tournament, programs=bots.programs)
        new = new_manifest(tournament, bots.isolation.name)
        trio.run(_play, make_unstored_run(tournament, bots.isolation, new, played.extend))
    finished = [one for one in played if isinstance(one, NewGame)]
    program = next(one for one in tournament.programs if one.name == own.name)
    for one in finished:
        if own.name in one.game.forfeiters:
            seat: Seat = RED if one.game.red == own.name else BLUE
            return diagnose(program, seat, one.plain_record, one.log)
    won = Counter(one.game.winner and getattr(one.game, one.game.winner) for one in finished)
    score = f"{write_count(won[own.name], 'win')}, {write_count(won[None], 'draw')}, "
    score += write_count(won[parent.name], "loss", "losses")
    return Finding("ok", f"{score} against {parent.name}, in games that do not count")


async def _play(run: Run) -> None:
    with trio.move_on_after(MOST_S):
        await run.play()


def _find_parent(file: TournamentFile, submissions: Submissions, author: str, folder: Path) -> BotConfig | None:
    """Find the version of an author that plays on this machine; None if there is none."""
    decisions = submissions.read_decisions()
    line = decisions.lines.get(author)
    if line:
        found = submissions.find(line[-1])
        return None if found is None else make_version(submissions, found, folder)
    versions = {name_version(author, number) for number in decisions.parents}
    name = find_playing(decisions, author, set(file.bot_names) - versions)
    own = next((bot for bot in file.bots if bot.name == name), None)
    return None if own is None or own.kind != "program" else replace(own, parent=None, absent=[])
