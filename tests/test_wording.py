"""The texts of this project use plain words: tests/wording.py lists those to avoid, CONTRIBUTING.md has the rules."""

from pathlib import Path

import pytest
from wording import ANYWHERE, EXAMPLES_PAGE, OPENINGS, check, files, find

ROOT = Path(__file__).parent.parent


def test_all_texts_use_plain_words():
    paths = [*files(ROOT), *files(ROOT / ".ci")]
    assert [fault for path in paths for fault in check(path)] == []


def test_each_wording_is_found_in_every_kind_of_text():
    texts = {
        "page.md": "First line.\nThen {example}\n",
        "page.html": "<p>\n{example}</p>",
        "file.toml": "# A comment.\n# {example}\n",
        "module.py": '"""Module."""\nraise ValueError("some text, {example}")\n',
        "comment.py": '"""Module."""\n# some text, {example}\n',
        "docstring.py": '"""Module.\n{example}\n"""\n',
        "f_string.py": '"""Module."""\nprint(f"{count} games, {example}")\n',
        "joined.py": '"""Module."""\nprint("some text, "  "{example}")\n',
        "script.js": '"use strict";\nconst text = "some text, {example}";\n',
        "program.c": "int x;\n/* some text, {example} */\n",
    }
    missed = [
        (wording.example, name)
        for wording in ANYWHERE
        for name, text in texts.items()
        if (2, wording.instead) not in _places(name, text.replace("{example}", wording.example))
    ]
    assert missed == []


def test_some_wordings_are_found_at_the_start_of_a_docstring_only():
    texts = {
        'def f():\n    """{example}"""\n': True,
        'x: int\n"""{example}"""\n': True,
        'def f():\n    """Main clause. {example}"""\n': False,
    }
    wrong = [
        (wording.example, text)
        for wording in OPENINGS
        for text, is_found in texts.items()
        if ((2, wording.instead) in _places("module.py", text.replace("{example}", wording.example))) != is_found
    ]
    assert wrong == []


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
