"""Ed25519 keys and detached signatures in the formats of OpenSSH, which `ssh-keygen -Y verify` checks too."""

import base64
import binascii
import hashlib
import struct
from importlib.util import find_spec
from typing import Final

from msgspec import Struct

from arbiter.errors import ConfigError

NAMESPACE: Final = "arbiter-results"
"""The purpose of the signatures; one for another purpose, such as a commit, is not accepted."""
_KIND: Final = b"ssh-ed25519"
_MAGIC: Final = b"SSHSIG"
_HASH: Final = b"sha512"
_BEGIN: Final = "-----BEGIN SSH SIGNATURE-----"
_END: Final = "-----END SSH SIGNATURE-----"
_WIDTH: Final = 70  # characters of a line of a signature, as OpenSSH writes it
_LONGEST: Final = 10_000  # bytes of a signature or a key


class KeyPair(Struct, frozen=True):
    """A new key, as the content of two files."""

    private: bytes
    public: str
    """One line: kind, key and comment."""


def make_keys(comment: str) -> KeyPair:
    """Make a key without a passphrase; the comment is the name of its owner.  Raises ConfigError."""
    _check_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - as above
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return KeyPair(private, f"{public} {' '.join(comment.split())}\n")


def find_public_key(text: str) -> str:
    """Return kind and key of the line of a public key.  Raises ConfigError."""
    kind, _, rest = text.strip().partition(" ")
    if kind.encode() != _KIND or not rest:
        raise ConfigError("is not a public key of the kind ssh-ed25519; name the file that ends in .pub")
    return f"{kind} {rest.split()[0]}"


def describe_key(public: str) -> str:
    """Return the fingerprint of a public key, as `ssh-keygen -l` shows it."""
    blob = base64.b64decode(find_public_key(public).split()[1])
    return f"SHA256:{base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip('=')}"


def sign(private: bytes, message: bytes) -> tuple[str, str]:
    """Sign a message; returns the signature and the public key.  Raises ConfigError if it is not a private key."""
    _check_library()
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - as above
        Encoding,
        PublicFormat,
        load_ssh_private_key,
    )

    try:
        key = load_ssh_private_key(private, None)
    except (TypeError, UnsupportedAlgorithm):
        raise ConfigError(
            "is protected by a passphrase or a device; publish without --sign, and sign the file with "
            f"`ssh-keygen -Y sign -n {NAMESPACE} -f KEY FILE`"
        ) from None
    except ValueError:
        raise ConfigError("is not a private key of OpenSSH; `arbiter keys` makes one") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError("is not an Ed25519 key; `arbiter keys` makes one")
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    blob = base64.b64decode(public.split()[1])
    value = _pack(_KIND, key.sign(_write_signed(message)))
    content = _MAGIC + struct.pack(">I", 1) + _pack(blob, NAMESPACE.encode(), b"", _HASH, value)
    text = base64.b64encode(content).decode()
    lines = [text[start : start + _WIDTH] for start in range(0, len(text), _WIDTH)]
    return "\n".join([_BEGIN, *lines, _END, ""]), public


def verify_signature(message: bytes, signature: str) -> str | None:
    """Return the public key that signed a message; None if the signature is of another message or damaged."""
    _check_library()
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - as above

    body = signature.strip()
    if len(body) > _LONGEST or not body.startswith(_BEGIN) or not body.endswith(_END):
        return None
    try:
        content = base64.b64decode("".join(body[len(_BEGIN) : -len(_END)].split()), validate=True)
        if not content.startswith(_MAGIC + struct.pack(">I", 1)):
            return None
        blob, namespace, reserved, algorithm, value = _unpack(content[len(_MAGIC) + 4 :])
        key_kind, key = _unpack(blob)
        kind, number = _unpack(value)
        known = (NAMESPACE.encode(), b"", _HASH, _KIND, _KIND)
        if (namespace, reserved, algorithm, key_kind, kind) != known:
            return None
        Ed25519PublicKey.from_public_bytes(key).verify(number, _write_signed(message))
    except (InvalidSignature, ValueError, binascii.Error, struct.error):
        return None
    return f"{_KIND.decode()} {base64.b64encode(blob).decode()}"


def _write_signed(message: bytes) -> bytes:
    """Write what is signed: not the message, but its hash with the purpose of the signature."""
    return _MAGIC + _pack(NAMESPACE.encode(), b"", _HASH, hashlib.sha512(message).digest())


def _pack(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def _unpack(data: bytes) -> list[bytes]:
    parts = []
    while data:
        (length,) = struct.unpack_from(">I", data)
        if length > len(data) - 4:
            raise ValueError("a part is cut off")
        parts.append(data[4 : 4 + length])
        data = data[4 + length :]
    return parts


def _check_library() -> None:
    if find_spec("cryptography") is None:
        raise ConfigError('signatures need cryptography; install it with: pip install "stratego-arbiter[sign]"')
