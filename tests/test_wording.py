"""The texts of this project use plain words: tests/wording.py lists those to avoid, CONTRIBUTING.md has the rules."""

from pathlib import Path

import pytest
from wording import ANYWHERE, EXAMPLES_PAGE, OPENINGS, check, files, find

ROOT = Path(__file__).parent.parent
CHECKED = [*files(ROOT), *files(ROOT / ".ci")]


@pytest.mark.parametrize("path", CHECKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_wording(path):
    assert check(path) == []


@pytest.mark.parametrize("wording", ANYWHERE, ids=lambda wording: wording.example)
def test_a_wording_is_found_in_every_kind_of_text(wording):
    texts = {
        "page.md": f"First line.\nThen {wording.example}\n",
        "page.html": f"<p>\n{wording.example}</p>",
        "file.toml": f"# A comment.\n# {wording.example}\n",
        "module.py": f'"""Module."""\nraise ValueError("some text, {wording.example}")\n',
        "comment.py": f'"""Module."""\n# some text, {wording.example}\n',
        "docstring.py": f'"""Module.\n{wording.example}\n"""\n',
        "f_string.py": f'"""Module."""\nprint(f"{{count}} games, {wording.example}")\n',
        "joined.py": f'"""Module."""\nprint("some text, "  "{wording.example}")\n',
        "script.js": f'"use strict";\nconst text = "some text, {wording.example}";\n',
        "program.c": f"int x;\n/* some text, {wording.example} */\n",
    }
    missed = [name for name, text in texts.items() if (2, wording.instead) not in _places(name, text)]
    assert missed == []


@pytest.mark.parametrize("wording", OPENINGS, ids=lambda wording: wording.example)
def test_a_wording_is_found_at_the_start_of_a_docstring_only(wording):
    assert (2, wording.instead) in _places("module.py", f'def f():\n    """{wording.example}"""\n')
    assert (2, wording.instead) in _places("module.py", f'x: int\n"""{wording.example}"""\n')
    assert (2, wording.instead) not in _places("module.py", f'def f():\n    """Main clause. {wording.example}"""\n')


def test_a_wording_is_found_across_lines():
    assert _places("page.md", "The games under\nway") == {(1, "in progress, running")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("module.py", '"""Show the status of a tournament running in another shell."""\n'),
        ("module.py", 'told = {"told": tell}\n'),
        ("module.py", '"""Positions, next to each other."""\nprint("back and forth")\n'),
        ("page.md", "Use `beside(a4)`: see `told`.\n"),
        ("page.html", '<div class="told">Moves</div>'),
        ("script.js", 'const told = make("told");'),
        (EXAMPLES_PAGE, "<!-- wording: examples -->\n| under way |\n<!-- wording: end -->\n"),
    ],
)
def test_plain_words_and_names_in_code_are_allowed(name, text):
    assert find(name, text) == []


def test_examples_are_allowed_on_one_page_and_in_one_table_only():
    text = "<!-- wording: examples -->\n| under way |\n<!-- wording: end -->\n\nunder way\n"
    assert [finding.line for finding in find(EXAMPLES_PAGE, text)] == [5]
    assert [finding.line for finding in find("README.md", text)] == [2, 5]


def test_the_files_of_a_folder_are_found():
    found = {str(path.relative_to(ROOT)) for path in files(ROOT)}
    assert {"README.md", "pyproject.toml", "arbiter/cli/__init__.py", "scripts/demo", "tests/conftest.py"} <= found
    assert not {"tests/wording.py", "tests/test_wording.py"} & found


def _places(name, text):
    return {(finding.line, finding.instead) for finding in find(name, text)}
