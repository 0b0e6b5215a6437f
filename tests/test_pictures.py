"""The pictures in the documentation: each exists, is small, has a description, and is taken by a script."""

import re
from itertools import chain

import pytest
from test_readmes import PAGES, name_of

from scripts.take_pictures import FOLDER, MAX_BYTES, NAMES

MAX_BYTES_OF_ALL = 600_000
PLACES = [
    (page, words, link)
    for page in PAGES
    for words, link in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
]


PLOTS = FOLDER.parent / "plots"  # drawn by benchmarks/numbers_page.py


def test_the_documentation_shows_exactly_the_pictures_that_scripts_make():
    linked = {(page.parent / link).resolve() for page, _, link in PLACES}
    assert (
        {path for path in linked if path.parent == FOLDER} == {FOLDER / name for name in NAMES} == set(FOLDER.iterdir())
    )
    assert {path for path in linked if path.parent != FOLDER} == set(PLOTS.iterdir())


def test_the_readme_shows_terminal_and_browser():
    kinds = {link.rsplit(".", 1)[1] for page, _, link in PLACES if name_of(page) == "README.md"}
    assert kinds == {"svg", "webp"}


@pytest.mark.parametrize(("page", "words", "link"), PLACES, ids=[link for _, _, link in PLACES])
def test_a_picture_has_a_description(page, words, link):
    assert len(words.split()) >= 8


def test_pictures_are_small():
    sizes = {name: (FOLDER / name).stat().st_size for name in NAMES}
    assert {name: size for name, size in sizes.items() if size > MAX_BYTES} == {}
    assert sum(sizes.values()) < MAX_BYTES_OF_ALL


def test_pictures_contain_no_external_addresses():
    drawn = chain.from_iterable(
        re.findall(r"url\(\S+|href=\S+", path.read_text("utf-8")) for path in FOLDER.glob("*.svg")
    )
    assert [address for address in drawn if not address.startswith("url(#")] == []
