"""The kit for bots in Python, and the rules for bots that search, as wheels."""

from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator
from hashlib import sha256
from importlib.metadata import distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arbiter import __version__

_KIT: Final = "stratego_arbiter_kit"
_RULES: Final = "stratego_arbiter_rules"
_NEEDS: Final = "msgspec"
"""The only dependency of the arbiter that the wheels have too."""
_CONNECT: Final = (("Provides-Extra", "connect"), ("Requires-Dist", 'websockets>=14; extra == "connect"'))
_SCRIPTS: Final = b"[console_scripts]\narbiter-connect = protocol.connect:main\n"
"""The script of the kit, which needs the extra."""
_RULES_MODULES: Final = ("__init__", "api", "clock", "errors", "formats", "packing", "record")
_RULES_PACKAGES: Final = ("beliefs", "games")
KIT_FILE: Final = f"{_KIT}-{__version__}-py3-none-any.whl"
"""Name of the wheel with the package `protocol`."""
RULES_FILE: Final = f"{_RULES}-{__version__}-py3-none-any.whl"
"""Name of the wheel with `GameState` of `arbiter.api`, and the rules."""


def make_kit() -> bytes:
    """Make the wheel of the kit; the same package gives the same bytes."""
    page = files("protocol").joinpath("KIT.md").read_text("utf-8")
    return _make_wheel(
        _KIT,
        "The kit for bots in Python that play under stratego-arbiter",
        (),
        dict(_read_package(files("protocol"), "protocol")),
        page,
    )


def make_rules() -> bytes:
    """Make the wheel of the rules, which needs the kit."""
    arbiter = files("arbiter")
    contents = {f"arbiter/{name}.py": arbiter.joinpath(f"{name}.py").read_bytes() for name in _RULES_MODULES}
    contents["arbiter/py.typed"] = b""
    for package in _RULES_PACKAGES:
        contents |= {
            name: data
            for name, data in _read_package(arbiter.joinpath(package), f"arbiter/{package}")
            if name.endswith(".py")
        }
    return _make_wheel(
        _RULES,
        "The rules of stratego-arbiter, for bots that search",
        (f"{_KIT.replace('_', '-')}=={__version__}",),
        contents,
        "",
    )


def _make_wheel(name: str, summary: str, needs: Collection[str], package: dict[str, bytes], page: str) -> bytes:
    """Make a wheel of a package."""
    info = f"{name}-{__version__}.dist-info"
    contents = package | _make_metadata(name, info, summary, needs, page)
    rows = []
    for path, data in contents.items():
        digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}")
    record = f"{info}/RECORD"
    contents[record] = "".join(f"{row}\n" for row in (*rows, f"{record},,")).encode()
    wheel = BytesIO()
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = ZipInfo(path)  # with the oldest date that an archive can have
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


def _make_metadata(name: str, info: str, summary: str, needs: Collection[str], page: str) -> dict[str, bytes]:
    """Make the metadata of a wheel; licence and versions are those of the arbiter."""
    arbiter = distribution("stratego-arbiter")
    headers = [
        ("Metadata-Version", "2.4"),
        ("Name", name.replace("_", "-")),
        ("Version", __version__),
        ("Summary", summary),
        ("License-Expression", arbiter.metadata["License-Expression"]),
        ("License-File", "LICENSE"),
        ("Requires-Python", arbiter.metadata["Requires-Python"]),
        ("Requires-Dist", next(need for need in arbiter.requires or () if need.startswith(_NEEDS))),
        *(("Requires-Dist", need) for need in needs),
        *(() if needs else _CONNECT),
        ("Description-Content-Type", "text/markdown"),
    ]
    metadata = "".join(f"{key}: {value}\n" for key, value in headers)
    wheel = f"Wheel-Version: 1.0\nGenerator: stratego-arbiter {__version__}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    scripts = {} if needs else {f"{info}/entry_points.txt": _SCRIPTS}
    return scripts | {
        f"{info}/METADATA": f"{metadata}\n{page}".encode(),
        f"{info}/WHEEL": wheel.encode(),
        f"{info}/licenses/LICENSE": next(file for file in arbiter.files or () if file.name == "LICENSE").read_binary(),
    }
