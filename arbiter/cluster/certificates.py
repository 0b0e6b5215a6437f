"""Certificates for the TLS connections of a cluster, and the settings of Dask that use them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from arbiter.errors import ConfigError

ROLES: Final = ("scheduler", "worker", "client")
_CLOCKS: Final = timedelta(days=1)  # other machines may have another time


def write_certificates(folder: Path, days: int, place: Path | None = None) -> None:
    """Write a folder of its own for each role, with a certificate, its key and the settings of Dask.

    `place` is the folder that contains the files of its role on each machine.  Default: where they are written.
    An authority signs the certificates, and its key is not kept.  Raises ConfigError.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"arbiter {datetime.now(UTC):%Y-%m-%d %H:%M:%S}")])
    authority = _certify(name, authority_key.public_key(), name, authority_key, days)
    try:
        folder.mkdir(mode=0o700)
        for role in ROLES:
            key = ec.generate_private_key(ec.SECP256R1())
            subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, role)])
            certificate = _certify(subject, key.public_key(), name, authority_key, days)
            own = folder / role
            own.mkdir(mode=0o700)
            (own / "authority.pem").write_bytes(authority.public_bytes(Encoding.PEM))
            (own / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
            secret = own / "key.pem"
            secret.touch(mode=0o600)
            secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            home = place or own.absolute()
            tls = {
                "ca-file": str(home / "authority.pem"),
                role: {"cert": str(home / "certificate.pem"), "key": str(home / "key.pem")},
            }
            settings = {"distributed": {"comm": {"require-encryption": True, "tls": tls}}}
            (own / "dask.yaml").write_text(json.dumps(settings, indent=2) + "\n", "utf-8")  # JSON is YAML too
    except FileExistsError:
        raise ConfigError(f"{folder}: exists already; name a new folder") from None
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None


def _certify(
    subject: x509.Name,
    key: ec.EllipticCurvePublicKey,
    name: x509.Name,
    authority: ec.EllipticCurvePrivateKey,
    days: int,
) -> x509.Certificate:
    """Make a certificate that an authority with a name and a key signs: its own, or that of a role."""
    now = datetime.now(UTC)
    is_own = subject == name
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(name)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_own, path_length=0 if is_own else None), critical=True)
        .sign(authority, hashes.SHA256())
    )
