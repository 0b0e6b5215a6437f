"""Invitations of programs and people: each has a random token, and only hashes of tokens and sessions are stored.

The token of a program lets it in as often as it connects.  That of a person is exchanged once, for the session of a
browser; the invitation is then the session, so that both are listed and revoked together.
"""

import fcntl
import hmac
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.sandbox.files.untrusted import open_to_write, read_file, write_private
from protocol.envelope import TOKEN_PREFIX

SUFFIX: Final = ".invites"
LINK_DAYS: Final = 7.0  # to open the link of a person
SESSION_DAYS: Final = 90.0  # of a browser
_TOKEN_BYTES: Final = 32
_SHOWN: Final = 8  # letters of the hash that name an invitation

Scope = Literal["program", "play", "submit", "organise"]
"""Permission of an invitation: connect a program; in a browser, play, submit programs, or organise."""
_INVITED: Final[dict[Scope, str]] = {
    "program": "program",
    "play": "person",
    "submit": "author of",
    "organise": "organiser",
}
State = Literal["pending", "active", "expired", "revoked"]
"""Nobody has used the invitation yet; it is in use; it was used too late or not at all; the organiser took it back."""


class Invitation(Struct, frozen=True, omit_defaults=True):
    """Permission to take part as an entrant, to submit programs, or to organise."""

    name: str
    """Name of the entrant; of an author, that of the bot; of an organiser, the own one."""
    digest: str
    """SHA-256 of the token, which is 256 random bits: nobody can guess it from its hash."""
    created: str
    """ISO 8601 in UTC."""
    scope: Scope = "program"
    expires: str | None = None
    """Time until which the token or, once it was exchanged, the session is valid.  Default: forever."""
    session: str | None = None
    """SHA-256 of the session; None until the token was exchanged."""
    revoked: str | None = None
    """Time at which it was revoked."""

    @property
    def id(self) -> str:
        """The beginning of the hash, which names the invitation."""
        return self.digest[:_SHOWN]

    @property
    def invited(self) -> str:
        """The one who is invited, in words."""
        return f"{_INVITED[self.scope]} {self.name}"

    @property
    def state(self) -> State:
        """The state now."""
        if self.revoked is not None:
            return "revoked"
        if self.expires is not None and self.expires <= _write_time(datetime.now(UTC)):
            return "expired"
        return "pending" if self.session is None and self.scope != "program" else "active"


class Invitations:
    """The invitations of one tournament, in a file next to its results.  Several processes may write it."""

    def __init__(self, file: Path) -> None:
        """Read the file, if it exists.  Raises ConfigError."""
        self.file = file
        self._signature: tuple[int, int] | None = None
        self.all: Sequence[Invitation] = ()
        self.reload()

    def reload(self) -> bool:
        """Read the file if it has changed; return True if it has.  Raises ConfigError."""
        try:
            found = self.file.stat()
        except OSError:
            found = None
        signature = None if found is None else (found.st_mtime_ns, found.st_ino)
        if signature == self._signature:
            return False
        try:
            self.all = () if found is None else msgspec.json.decode(read_file(self.file), type=tuple[Invitation, ...])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ConfigError(f"{self.file}: cannot be read: {error}; invite the programs again") from None
        self._signature = signature
        return True

    def find(self, token: str, scope: Scope = "program") -> Invitation | None:
        """Find the valid invitation of a scope by its token."""
        found = self._search(token, lambda one: one.digest)
        return found if found is not None and found.scope == scope and found.state in ("pending", "active") else None

    def find_session(self, secret: str) -> Invitation | None:
        """Find the valid invitation of a browser by the secret of its session."""
        found = self._search(secret, lambda one: one.session or "")
        return found if found is not None and found.state == "active" else None

    def _search(self, secret: str, read: Callable[[Invitation], str]) -> Invitation | None:
        """Find an invitation by a secret, in a time that does not depend on how much of it is right."""
        digest = _hash(secret)
        found = None
        for invitation in self.all:
            if hmac.compare_digest(read(invitation), digest):
                found = invitation
        return found

    def add(self, name: str, scope: Scope = "program", days: float | None = None) -> str:
        """Invite somebody; return the token, which is stored nowhere.  Raises ConfigError.

        `days` is how long the token can be used.  Default: forever for programs, LINK_DAYS for people.
        """
        token = TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
        limit = LINK_DAYS if days is None and scope != "program" else days
        with self._writing() as known:
            expires = None if limit is None else _find_end(limit)
            known.append(Invitation(name, _hash(token), _write_time(datetime.now(UTC)), scope, expires))
        return token

    def exchange(self, token: str, scope: Scope) -> tuple[Invitation, str] | None:
        """Exchange the token of an invitation for a session; return its secret too, which is stored nowhere.

        Return None if the token is unknown, is for another scope, was revoked or exchanged before, or has expired.
        Raises ConfigError.
        """
        secret = secrets.token_urlsafe(_TOKEN_BYTES)
        with self._writing() as known:
            found = self._search(token, lambda one: one.digest)
            if found is None or found.state != "pending" or found.scope != scope:
                return None
            begun = replace(found, session=_hash(secret), expires=_find_end(SESSION_DAYS))
            known[known.index(found)] = begun
        return begun, secret

    def revoke(self, name: str) -> list[Invitation]:
        """Revoke all invitations and sessions with a name; return them.  Raises ConfigError."""
        return self._revoke(lambda one: one.name == name)

    def revoke_one(self, invitation_id: str) -> list[Invitation]:
        """Revoke the invitation or session with an id; return it, or nothing.  Raises ConfigError."""
        return self._revoke(lambda one: one.id == invitation_id)

    def _revoke(self, is_meant: Callable[[Invitation], bool]) -> list[Invitation]:
        now = _write_time(datetime.now(UTC))
        with self._writing() as known:
            meant = [number for number, one in enumerate(known) if one.revoked is None and is_meant(one)]
            for number in meant:
                known[number] = replace(known[number], revoked=now)
            return [known[number] for number in meant]

    @contextmanager
    def _writing(self) -> Iterator[list[Invitation]]:
        """Yield the invitations to change, while no other process changes them.  Raises ConfigError."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            lock = open_to_write(self.file.with_suffix(f"{SUFFIX}-lock"), os.O_RDWR | os.O_CREAT, mode=0o600)
        except OSError as error:
            raise ConfigError(f"{self.file}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.reload()
            changed = list(self.all)
            yield changed
            if changed != list(self.all):
                write_private(self.file, msgspec.json.format(msgspec.json.encode(changed)) + b"\n")
                self.reload()
        except OSError as error:
            raise ConfigError(f"{self.file}: cannot be written: {error.strerror}") from None
        finally:
            os.close(lock)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _write_time(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


def _find_end(days: float) -> str:
    return _write_time(datetime.now(UTC) + timedelta(days=days))
