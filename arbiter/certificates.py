"""Certificates for TLS connections between programs with different roles."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from arbiter.errors import ConfigError

_CLOCKS: Final = timedelta(days=1)  # other machines may have another time


def write_certificates(folder: Path, roles: Iterable[str], names: Sequence[str], days: int) -> None:
    """Write a folder for each role, with the certificate of an authority, one of the role, and its key.

    `names` are those of the three files.  The key of the authority, which signs the certificates, is not kept.

    Raises ConfigError.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"arbiter {datetime.now(UTC):%Y-%m-%d %H:%M:%S}")])
    authority = _certify(issuer, authority_key.public_key(), issuer, authority_key, days)
    try:
        folder.mkdir(mode=0o700)
        for role in roles:
            key = ec.generate_private_key(ec.SECP256R1())
            subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, role)])
            certificate = _certify(subject, key.public_key(), issuer, authority_key, days)
            own = folder / role
            own.mkdir(mode=0o700)
            files = [own / name for name in names]
            files[0].write_bytes(authority.public_bytes(Encoding.PEM))
            files[1].write_bytes(certificate.public_bytes(Encoding.PEM))
            files[2].touch(mode=0o600)
            files[2].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    except FileExistsError:
        raise ConfigError(f"{folder}: exists already; name a new folder") from None
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None


def _certify(
    subject: x509.Name,
    key: ec.EllipticCurvePublicKey,
    issuer: x509.Name,
    authority: ec.EllipticCurvePrivateKey,
    days: int,
) -> x509.Certificate:
    """Make a certificate that an issuer with a key signs: its own, or that of a role."""
    now = datetime.now(UTC)
    is_own = subject == issuer
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_own, path_length=0 if is_own else None), critical=True)
        .sign(authority, hashes.SHA256())
    )
