"""The native bot of the benchmarks."""

import shutil
import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).parent


def build_shuffler() -> Path:
    """Compile the bot if necessary and return its path.  Exits with a message if there is no C compiler."""
    source = _HERE / "shuffler.c"
    binary = _HERE / "build" / "shuffler"
    if binary.exists() and binary.stat().st_mtime >= source.stat().st_mtime:
        return binary
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("benchmarks: a C compiler is needed for the native bot; install gcc")
    binary.parent.mkdir(exist_ok=True)
    subprocess.run([compiler, "-O2", "-o", binary, source], check=True)
    return binary
