"""Published digests of results: a small file with the digest, and a signature of this file next to it."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter import __version__
from arbiter.director.files import read_bytes, write_new_file
from arbiter.errors import ConfigError
from arbiter.signatures import describe_key, find_public_key, sign, verify_signature

SIGNATURE_SUFFIX: Final = ".sig"
_LONGEST: Final = 100_000  # bytes of each file
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Publication(Struct, frozen=True, kw_only=True, tag_field="type", tag="digest of results"):
    """A statement of the organiser about results at one time."""

    tournament: str
    games: int
    """Number of stored games."""
    links: int
    """Length of the hash chain."""
    digest: str
    """Last value of the hash chain."""
    time: str
    """ISO 8601 in UTC."""
    arbiter: str = __version__
    public_key: str = ""
    """Key of the organiser; empty without a signature."""


class CheckedPublication(Struct, frozen=True, kw_only=True):
    """A published digest and its signature."""

    file: str
    publication: Publication
    key: str
    """Fingerprint of the key that signed it; empty if the signature is wrong."""
    is_known_key: bool
    """True if the key is the one that the user asked for."""
    faults: tuple[str, ...]


def publish(file: Path, key: Path | None, *, tournament: str, games: int, links: int, digest: str) -> Publication:
    """Write a digest into a new file, and with a private key its signature next to it.  Raises ConfigError."""
    public = "" if key is None else _sign(key, b"")[1]
    publication = Publication(
        tournament=tournament,
        games=games,
        links=links,
        digest=digest,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        public_key=public,
    )
    message = msgspec.json.format(msgspec.json.encode(publication), indent=2) + b"\n"
    target = find_signature(file)
    if key is not None and target.exists():
        raise ConfigError(f"{target}: already exists and is not overwritten; name another file")
    write_new_file(file, message)
    if key is not None:
        write_new_file(target, _sign(key, message)[0].encode())
    return publication


def _sign(key: Path, message: bytes) -> tuple[str, str]:
    private = _read_small(key)
    try:
        return sign(private, message)
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None


def find_signature(file: Path) -> Path:
    """Return the path of the signature of a published digest."""
    return file.with_name(file.name + SIGNATURE_SUFFIX)


def read_public_key(file: Path) -> str:
    """Read a public key from its file.  Raises ConfigError."""
    try:
        return find_public_key(_read_small(file).decode("utf-8", "replace"))
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def read_publication(file: Path, key: Path | None = None) -> CheckedPublication:
    """Read a published digest and check its signature; `key` is the file of the organiser's public key.

    Raises ConfigError if a file cannot be read.
    """
    message, signature = (_read_small(path) for path in (file, find_signature(file)))
    return check_publication(str(file), message, signature, None if key is None else read_public_key(key))


def _read_small(path: Path) -> bytes:
    data = read_bytes(path)
    if len(data) > _LONGEST:
        raise ConfigError(f"{path}: is too long for a published digest, a signature or a key; name another file")
    return data


def check_publication(name: str, message: bytes, signature: bytes, known_key: str | None) -> CheckedPublication:
    """Check the signature of a published digest.  Raises ConfigError if it is not one."""
    try:
        publication = msgspec.json.decode(message, type=Publication)
    except (msgspec.DecodeError, RecursionError):
        raise ConfigError(f"{name}: is not a published digest; `arbiter verify --publish` writes one") from None
    faults = []
    if not _DIGEST.fullmatch(publication.digest):
        faults.append(f"{name}: contains no digest")
    signer = verify_signature(message, signature.decode("utf-8", "replace"))
    if signer is None:
        faults.append(f"{name}: its signature is wrong: the file or the signature was changed")
    elif publication.public_key not in ("", signer):
        faults.append(f"{name}: names another key than the one that signed it ({describe_key(signer)})")
    elif known_key is not None and signer != known_key:
        faults.append(f"{name}: was signed with another key ({describe_key(signer)})")
    return CheckedPublication(
        file=name,
        publication=publication,
        key="" if signer is None else describe_key(signer),
        is_known_key=signer is not None and signer == known_key,
        faults=tuple(faults),
    )
