"""The cluster uses only what Dask documents: nothing whose name begins with an underscore."""

import ast
from pathlib import Path

import pytest

import arbiter.cluster

SOURCE = sorted(Path(arbiter.cluster.__path__[0]).glob("*.py"))


def list_private(source):
    """List the private names that a module uses of others, also as texts for getattr, and the private modules."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name) if name.startswith("_") and not name.endswith("__"):
                found.append(name)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
                found += [name] * name.startswith("_")
            case ast.ImportFrom(module=str(module), names=names):
                parts = [*module.split("."), *(one.name for one in names)]
                found += [part for part in parts if part.startswith("_") and not part.endswith("__")]
            case ast.Import(names=names):
                found += [one.name for one in names if "._" in one.name]
    return found


@pytest.mark.parametrize("path", SOURCE, ids=lambda path: path.stem)
def test_nothing_private_is_used(path):
    assert list_private(path.read_text()) == []


@pytest.mark.parametrize(
    "line",
    [
        "client._send_to_scheduler(x)",
        "getattr(client, '_gather')",
        "from dask._task_spec import Task",
        "import dask._x",
    ],
)
def test_private_names_are_found(line):
    assert list_private(line)
