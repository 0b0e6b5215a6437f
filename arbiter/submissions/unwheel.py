"""Print the contents of all wheels in a folder as a tar archive, ready to be imported.

It runs alone, in the sandbox, by the Python that runs the bot, and installs what `pip install --target` would, without
scripts and without looking at dependencies.
"""

import importlib.util
import io
import marshal
import platform
import re
import sys
import sysconfig
import tarfile
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

MOST_COMPILED = 1 << 20  # bytes of a module
NAMED = 5  # parts of the name of a wheel; a sixth is the number of its build
GLIBC = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
UNCHECKED = (1).to_bytes(4, "little")  # a compiled module that is used without looking at its source


def main(folder: Path, top: str) -> None:
    """Print what is in the wheels of a folder, below a folder with another name."""
    names: set[str] = set()
    known: dict[str, str] = {}
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as packed:
        for wheel in sorted(folder.glob("*.whl")):
            name, *tags = check_name(wheel)
            if known.setdefault(name, wheel.name) != wheel.name:
                sys.exit(f"{known[name]} and {wheel.name} are two versions of one package; keep one of them")
            if not fits(*tags):
                sys.exit(f"{wheel.name}: is for another Python or another system than {describe_python()}")
            try:
                with ZipFile(wheel) as archive:
                    for member in archive.infolist():
                        place = find_place(member.filename)
                        if place and place not in names and not member.is_dir():
                            names.add(place)
                            add(packed, f"{top}/{place}", archive, member)
            except (BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError) as error:
                sys.exit(f"{wheel.name}: cannot be unpacked: {error}")


def check_name(wheel: Path) -> list[str]:
    """Return the name of the package of a wheel, and its tags: Python, ABI and system."""
    parts = wheel.stem.split("-")
    if len(parts) not in (NAMED, NAMED + 1):
        sys.exit(f"{wheel.name}: is not the name of a wheel; do not rename the files that pip writes")
    return [re.sub(r"[-_.]+", "-", parts[0]).lower(), *parts[-3:]]


def describe_python() -> str:
    """Describe the Python that runs the bot."""
    version = ".".join(map(str, sys.version_info[:2]))
    return f"Python {version} on {platform.machine()} ({' '.join(platform.libc_ver())})"


def fits(pythons: str, abis: str, systems: str) -> bool:
    """Return True if a wheel with these tags, each a list with dots, can be used here."""
    return any(fits_system(one) for one in systems.split(".")) and any(
        fits_python(python, abi) for python in pythons.split(".") for abi in abis.split(".")
    )


def fits_python(python: str, abi: str) -> bool:
    """Return True if the tags of a Python and of an ABI fit here."""
    found = re.fullmatch(r"(py|cp)(\d)(\d*)", python)
    if found is None:
        return False
    kind = found[1]
    version = (int(found[2]), int(found[3] or 0))
    is_old = version[0] == sys.version_info[0] and version <= sys.version_info[:2]
    if kind == "py":
        return abi == "none" and is_old
    if sys.implementation.name != "cpython":
        return False
    if abi == "abi3":
        return is_old and not sysconfig.get_config_var("Py_GIL_DISABLED")
    flags = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return version == sys.version_info[:2] and abi in ("none", f"{python}{flags}")


def fits_system(system: str) -> bool:
    """Return True if the tag of a system fits here."""
    if system == "any":
        return True
    kind, _, machine = system.partition("_")
    library, version = platform.libc_ver()
    found = re.fullmatch(r"(\d+)_(\d+)_(.+)", machine)
    needed = GLIBC.get(kind, (0, 0))
    if found is not None:
        needed = (int(found[1]), int(found[2]))
        machine = found[3]
    is_glibc = library == "glibc" and needed <= tuple(map(int, version.split(".")[:2]))
    is_known = kind == "linux" or (is_glibc if kind.startswith("manylinux") else kind == "musllinux" and not library)
    return is_known and machine == platform.machine()


def find_place(name: str) -> str:
    """Return the path of a member in the folder of packages; empty if it is not needed there."""
    first, _, rest = name.partition("/")
    if not first.endswith(".data"):
        return name
    kind, _, rest = rest.partition("/")
    return rest if kind in ("purelib", "platlib") else ""


def add(packed: tarfile.TarFile, place: str, archive: ZipFile, member: ZipInfo) -> None:
    """Add a member of a wheel to the archive, with its compiled form if it is a module."""
    file = tarfile.TarInfo(place)
    file.size = member.file_size
    file.mode = 0o755 if (member.external_attr >> 16) & 0o100 else 0o644
    with archive.open(member) as content:
        if not place.endswith(".py") or member.file_size > MOST_COMPILED:
            packed.addfile(file, content)
            return
        source = content.read()
    packed.addfile(file, io.BytesIO(source))
    try:
        code = compile(source, place, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # for another version of Python, or a template
    compiled = importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source) + marshal.dumps(code)
    file = tarfile.TarInfo(importlib.util.cache_from_source(place))
    file.size = len(compiled)
    packed.addfile(file, io.BytesIO(compiled))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
