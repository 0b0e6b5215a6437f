"""The kit for bots in Python as a wheel."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arbiter import __version__

_PACKAGE: Final = "protocol"
_NAME: Final = "stratego_arbiter_kit"
_SUMMARY: Final = "The kit for bots in Python that play under stratego-arbiter"
_NEEDS: Final = "msgspec"
"""The only dependency of the arbiter that the kit has too."""
FILE: Final = f"{_NAME}-{__version__}-py3-none-any.whl"
"""Name of the wheel."""


def make_wheel() -> bytes:
    """Make the wheel; the same package gives the same bytes."""
    info = f"{_NAME}-{__version__}.dist-info"
    contents = dict(_read_package(files(_PACKAGE), _PACKAGE)) | _make_metadata(info)
    rows = []
    for name, data in contents.items():
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    record = f"{info}/RECORD"
    contents[record] = "".join(f"{row}\n" for row in (*rows, f"{record},,")).encode()
    wheel = BytesIO()
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = ZipInfo(name)  # with the oldest date that an archive can have
            entry.external_attr = 0o644 << 16
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel.getvalue()


def _read_package(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _read_package(entry, f"{path}/{entry.name}")
        elif entry.is_file():
            yield f"{path}/{entry.name}", entry.read_bytes()


def _make_metadata(info: str) -> dict[str, bytes]:
    """Make the metadata of the wheel; licence and versions are those of the arbiter."""
    arbiter = distribution("stratego-arbiter")
    headers = {
        "Metadata-Version": "2.4",
        "Name": _NAME.replace("_", "-"),
        "Version": __version__,
        "Summary": _SUMMARY,
        "License-Expression": arbiter.metadata["License-Expression"],
        "License-File": "LICENSE",
        "Requires-Python": arbiter.metadata["Requires-Python"],
        "Requires-Dist": next(need for need in arbiter.requires or () if need.startswith(_NEEDS)),
        "Description-Content-Type": "text/markdown",
    }
    page = files(_PACKAGE).joinpath("KIT.md").read_text("utf-8")
    metadata = "".join(f"{key}: {value}\n" for key, value in headers.items())
    wheel = f"Wheel-Version: 1.0\nGenerator: stratego-arbiter {__version__}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return {
        f"{info}/METADATA": f"{metadata}\n{page}".encode(),
        f"{info}/WHEEL": wheel.encode(),
        f"{info}/licenses/LICENSE": next(file for file in arbiter.files or () if file.name == "LICENSE").read_binary(),
    }
