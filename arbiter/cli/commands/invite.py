"""`arbiter invite FILE NAME`: let a program on its author's machine, or a person in a browser, play in a tournament."""

import re
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import click
from msgspec import Struct

from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.play_options import GATEWAY_PORT
from arbiter.cli.terminal import find_user, print_facts
from arbiter.director.files import results_file
from arbiter.errors import ConfigError, unknown_name, write_count
from arbiter.record import NETWORK
from arbiter.remote.invitations import SESSION_DAYS, SUFFIX, Invitations, Scope
from arbiter.submissions.client import is_loopback
from arbiter.submissions.organiser import list_invitations
from arbiter.submissions.organiser import revoke as revoke_invitations
from arbiter.submissions.store import SUFFIX as SUBMISSIONS
from arbiter.submissions.store import Submissions
from arbiter.tournament.config.bot_entries import NAME_PATTERN
from arbiter.tournament.config.tournament import load_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.events import LiveStatus
from arbiter.tournament.results.reader import Results

_GATEWAY: Final = f"ws://127.0.0.1:{GATEWAY_PORT}/"
_PAGES: Final = "http://127.0.0.1:8000/"
_EVERYWHERE: Final = re.compile(r"//(0\.0\.0\.0|\[::\]):")
"""An address that no client can connect to."""


@command
@click.argument("file", type=PATH)
@click.argument("bot", required=False)
@results_option
@click.option(
    "--address",
    metavar="URL",
    help="Address at which they connect, as in wss://club.example/. Default: that of the run in progress.",
)
@click.option("--submit", is_flag=True, help="Invite the author of BOT to submit programs (`arbiter submit`).")
@click.option("--organise", is_flag=True, help="Invite the organiser BOT to decide in a browser.")
@click.option("--list", "lists", is_flag=True, help="List the invitations.")
@click.option("--revoke", is_flag=True, help="Revoke all invitations of BOT, or one by its id; end connections.")
@format_options
def invite(
    file: Path,
    bot: str | None,
    place: Path | None,
    address: str | None,
    form: str,
    *,
    submit: bool,
    organise: bool,
    lists: bool,
    revoke: bool,
) -> None:
    """Invite a remote BOT or a person of a tournament FILE: print the address for the author.

    It contains a token that is shown only this once; the arbiter keeps nothing but a hash of it. A new token does not
    end older ones.
    """
    tournament = load_names(file)
    results = results_file(file, place)
    invitations = Invitations(results.with_suffix(SUFFIX))
    submissions = Submissions(invitations.file.with_suffix(SUBMISSIONS))
    if lists:
        known = list_invitations(invitations, submissions)
        rows = [f"{one['bot']:20} {one['id']}  {one['scope']:8} {one['state']:8} {one['created']}" for one in known]
        lines = [f"{row}{'  banned' * bool(one['banned'])}" for row, one in zip(rows, known, strict=True)]
        if (live := _read_live_status(results)).gateway:
            lines.append(f"programs and people connect at {live.gateway}")
        print_facts("Invitations", known, form, lambda: "\n".join(lines) or "Nobody is invited.")
        return
    if bot is None:
        raise ConfigError('BOT: is missing; name a bot with kind = "remote" or "person", or add --list')
    if revoke:
        count = revoke_invitations(invitations, submissions, bot, find_user())
        text = f"revoked {write_count(count, 'invitation')} of {bot}"
        print_facts("Revoked", [{"bot": bot, "revoked": count}], form, lambda: text)
        return
    if submit and organise:
        raise ConfigError("--submit and --organise exclude each other; make one invitation for each")
    scope: Scope = "submit" if submit else "organise"
    if submit or organise:
        _check_submissions(tournament.file, bot, f"--{scope}")
    else:
        players = tournament.file.list_players(*NETWORK)
        if bot in tournament.file.bot_names and bot not in players:
            raise ConfigError(f'bots.{bot}: plays here; only bots with kind = "remote" or "person" can be invited')
        if bot not in players:
            raise ConfigError(f"BOT: {unknown_name('remote bot', bot, players)}")
        scope = "play" if bot in tournament.file.list_players("person") else "program"
    at = _choose_address(address, results, "pages" if submit or organise else "gateway")
    facts, text = _invite(bot, scope, at.link, invitations)
    print_facts("Invitation", [facts], form, lambda: text + at.note)


class _Address(Struct, frozen=True):
    """The address in an invitation."""

    link: str
    note: str = ""
    """Sentence for the organiser about it."""


def _read_live_status(results: Path) -> LiveStatus:
    """Read the status of the run in progress; an empty one without a run.  Raises ConfigError."""
    if not results.exists():
        return LiveStatus()
    with Results.read(results) as stored:
        return stored.live_status()


def _choose_address(given: str | None, results: Path, place: Literal["gateway", "pages"]) -> _Address:
    """Choose the address of the gateway or of the pages for an invitation.  Raises ConfigError."""
    if given is not None:
        return _Address(given)
    live = _read_live_status(results)
    if running := live.gateway if place == "gateway" else live.pages:
        if _EVERYWHERE.search(running):
            raise ConfigError(f"--address: is missing; {running} stands for all addresses of this machine, so name one")
        other = "; for other machines, add --address URL" if is_loopback(urlsplit(running).hostname or "") else ""
        return _Address(running, f"\nThe address is that of the {place} of the run in progress{other}.")
    option, link = ("--gateway", _GATEWAY) if place == "gateway" else ("--serve", _PAGES)
    port = link.rpartition(":")[2].rstrip("/")
    return _Address(link, f"\nThe address is that of a run with {option} {port}; for another one, add --address URL.")


def _check_submissions(file: TournamentFile, bot: str, option: str) -> None:
    """Check that programs can be submitted, and that an author or organiser has a usable name.  Raises ConfigError."""
    if not file.submissions.open:
        raise ConfigError(f"{option}: the tournament takes no programs; add open = true to its table [submissions]")
    if not re.fullmatch(NAME_PATTERN, bot):
        raise ConfigError(f"BOT: {bot!r} cannot name a bot; use 1 to 40 of the characters A-Z a-z 0-9 . _ + -")


def _invite(bot: str, scope: Scope, link: str, invitations: Invitations) -> tuple[dict[str, str], str]:
    """Add an invitation; return its facts, and what the organiser reads.  Raises ConfigError."""
    base = link.rstrip("/")
    once = "it is not shown again, and can be opened once, within a week"
    if scope == "submit":
        token = invitations.add(bot, scope, SESSION_DAYS)
        page = f"{base}/submit/#{token}"
        return {"bot": bot, "address": link, "token": token, "page": page}, (
            f"Send this to the author of {bot}; the token is not shown again:\n\n"
            f"    arbiter submit {link} ./{bot}\n\nThe command asks for this token:\n\n    {token}\n\n"
            f"In a browser, open once within {SESSION_DAYS:.0f} days:\n\n    {page}\n"
        )
    token = invitations.add(bot, scope)
    if scope == "organise":
        address = f"{base}/organise/#{token}"
        text = f"Send this to the organiser {bot}; {once}. It allows everything that `arbiter submissions` does:"
        text += f"\n\n    {address}\n"
    elif scope == "play":
        address = f"{re.sub('^ws', 'http', base)}/play/#{token}"
        text = f"Send this to {bot}; {once}:\n\n    {address}\n"
    else:
        address = f"{base}/#{token}"
        text = (
            f"Send this to the author of {bot}; it is not shown again:\n\n    arbiter-connect {address} -- ./{bot}\n\n"
            "`arbiter kit` writes the wheel that contains arbiter-connect, for authors without it.\n"
        )
    return {"bot": bot, "address": address}, text
