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
from arbiter.tournament.config.bot_config import NAME_PATTERN
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
@click.argument("name", required=False)
@results_option
@click.option(
    "--address",
    metavar="URL",
    help="Address at which they connect, as in wss://club.example/. Default: that of the run in progress.",
)
@click.option("--submit", is_flag=True, help="Invite the author of the bot NAME to submit programs (`arbiter submit`).")
@click.option("--organise", is_flag=True, help="Invite the organiser NAME to decide in a browser.")
@click.option("--list", "lists", is_flag=True, help="List the invitations.")
@click.option("--revoke", is_flag=True, help="Revoke all invitations of NAME, or one by its id; end connections.")
@format_options
def invite(
    file: Path,
    name: str | None,
    place: Path | None,
    address: str | None,
    form: str,
    *,
    submit: bool,
    organise: bool,
    lists: bool,
    revoke: bool,
) -> None:
    """Invite the author of a remote bot, or a person, by its NAME in a tournament FILE: print the address for them.

    It contains a token that is shown only this once; the arbiter keeps nothing but a hash of it. A new token does not
    end older ones.
    """
    tournament = load_names(file)
    results = results_file(file, place)
    invitations = Invitations(results.with_suffix(SUFFIX))
    submissions = Submissions(invitations.file.with_suffix(SUBMISSIONS))
    if lists:
        known = list_invitations(invitations, submissions)
        lines = [
            f"{made.invited:30} {made.id}  {made.state:8} {made.created}{'  banned' * bool(one['banned'])}"
            for made, one in zip(invitations.all, known, strict=True)
        ]
        if (live := _read_live_status(results)).gateway:
            lines.append(f"programs and people connect at {live.gateway}")
        print_facts("Invitations", known, form, lambda: "\n".join(lines) or "Nobody is invited.")
        return
    if name is None:
        raise ConfigError('NAME: is missing; name a bot with kind = "remote" or "person", or add --list')
    if revoke:
        revoked = revoke_invitations(invitations, submissions, name, find_user())
        whose = ", ".join(sorted({one.invited for one in revoked})) or name
        text = f"revoked {write_count(len(revoked), 'invitation')}: {whose}"
        print_facts("Revoked", [{"name": name, "revoked": len(revoked)}], form, lambda: text)
        return
    if submit and organise:
        raise ConfigError("--submit and --organise exclude each other; make one invitation for each")
    scope: Scope = "submit" if submit else "organise"
    if submit or organise:
        _check_submissions(tournament.file, name, f"--{scope}")
    else:
        players = tournament.file.list_players(*NETWORK)
        if name in tournament.file.bot_names and name not in players:
            raise ConfigError(f'bots.{name}: plays here; only bots with kind = "remote" or "person" can be invited')
        if name not in players:
            raise ConfigError(f"NAME: {unknown_name('remote bot', name, players)}")
        scope = "play" if name in tournament.file.list_players("person") else "program"
    at = _choose_address(address, results, "pages" if submit or organise else "gateway")
    facts, text = _invite(name, scope, at.link, invitations)
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


def _check_submissions(file: TournamentFile, name: str, option: str) -> None:
    """Check that programs can be submitted, and that an author or organiser has a usable name.  Raises ConfigError."""
    if not file.submissions.open:
        raise ConfigError(f"{option}: the tournament takes no programs; add open = true to its table [submissions]")
    if not re.fullmatch(NAME_PATTERN, name):
        raise ConfigError(f"NAME: {name!r} cannot name a bot; use 1 to 40 of the characters A-Z a-z 0-9 . _ + -")


def _invite(name: str, scope: Scope, link: str, invitations: Invitations) -> tuple[dict[str, str], str]:
    """Add an invitation; return its facts, and what the organiser reads.  Raises ConfigError."""
    base = link.rstrip("/")
    once = "it is not shown again, and can be opened once, within a week"
    if scope == "submit":
        token = invitations.add(name, scope, SESSION_DAYS)
        page = f"{base}/submit/#{token}"
        return {"name": name, "scope": scope, "address": link, "token": token, "page": page}, (
            f"Send this to the author of {name}; the token is not shown again:\n\n"
            f"    arbiter submit {link} ./{name}\n\nThe command asks for this token:\n\n    {token}\n\n"
            f"In a browser, open once within {SESSION_DAYS:.0f} days:\n\n    {page}\n"
        )
    token = invitations.add(name, scope)
    if scope == "organise":
        address = f"{base}/organise/#{token}"
        text = f"Send this to the organiser {name}; {once}. It allows everything that `arbiter submissions` does:"
        text += f"\n\n    {address}\n"
    elif scope == "play":
        address = f"{re.sub('^ws', 'http', base)}/play/#{token}"
        text = f"Send this to the person {name}; {once}:\n\n    {address}\n"
    else:
        address = f"{base}/#{token}"
        text = (
            f"Send this to the author of {name}; it is not shown again:\n\n"
            f"    arbiter-connect {address} -- ./{name}\n\n"
            "`arbiter kit` writes the wheel that contains arbiter-connect, for authors without it.\n"
        )
    return {"name": name, "scope": scope, "address": address}, text
