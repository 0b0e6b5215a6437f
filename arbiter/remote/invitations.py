"""Invitations of remote programs: each has a random token, and only its hash is stored."""

import hmac
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.files.untrusted import read_file, write_private
from protocol.envelope import TOKEN_PREFIX

SUFFIX: Final = ".invites"
_TOKEN_BYTES: Final = 32
_SHOWN: Final = 8  # letters of the hash that name an invitation


class Invitation(Struct, frozen=True):
    """Permission to play as a bot."""

    bot: str
    digest: str
    """SHA-256 of the token, which is 256 random bits: nobody can guess it from its hash."""
    created: str
    """ISO 8601 in UTC."""

    @property
    def id(self) -> str:
        """The beginning of the hash, which names the invitation."""
        return self.digest[:_SHOWN]


def make_token() -> str:
    """Make a new token."""
    return TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


class Invitations:
    """The invitations of one tournament, in a file next to its results."""

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

    def find(self, token: str) -> Invitation | None:
        """Find the invitation of a token, in a time that does not depend on how much of it is right."""
        digest = sha256(token.encode("utf-8", "replace")).hexdigest()
        found = None
        for invitation in self.all:
            if hmac.compare_digest(invitation.digest, digest):
                found = invitation
        return found

    def add(self, bot: str) -> str:
        """Invite a bot; return its token, which is stored nowhere.  Raises ConfigError."""
        token = make_token()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._write([*self.all, Invitation(bot, sha256(token.encode()).hexdigest(), now)])
        return token

    def revoke(self, bot: str) -> int:
        """Revoke all invitations of a bot; return their number.  Raises ConfigError."""
        kept = [invitation for invitation in self.all if invitation.bot != bot]
        count = len(self.all) - len(kept)
        if count:
            self._write(kept)
        return count

    def _write(self, invitations: Sequence[Invitation]) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_private(self.file, msgspec.json.format(msgspec.json.encode(invitations)) + b"\n")
        except OSError as error:
            raise ConfigError(f"{self.file}: cannot be written: {error.strerror}") from None
        self.reload()
