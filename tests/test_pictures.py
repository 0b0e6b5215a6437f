"""The pictures in the documentation: each exists, is small, has a description, and is taken by a script."""

import re
from itertools import chain
from pathlib import Path

import pytest
from test_readmes import PAGES, name_of

from arbiter.record import read_record
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import find_fight
from scripts.moving_pictures import PLIES, list_moments
from scripts.take_pictures import FOLDER, MAX_BYTES, MAX_BYTES_OF_MOVING, MOVING, NAMES

MAX_BYTES_OF_ALL = 1_200_000
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
    most = {name: MAX_BYTES_OF_MOVING if name in MOVING else MAX_BYTES for name in NAMES}
    assert {name: size for name, size in sizes.items() if size > most[name]} == {}
    assert sum(sizes.values()) < MAX_BYTES_OF_ALL


def test_pictures_contain_no_external_addresses():
    drawn = chain.from_iterable(
        re.findall(r"url\(\S+|href=\S+", path.read_text("utf-8")) for path in FOLDER.glob("*.svg")
    )
    assert [address for address in drawn if not address.startswith("url(#")] == []


def test_a_moving_picture_shows_each_ply_and_each_step_of_a_fight():
    replay = Replay(read_record((Path(__file__).parent / "games" / "golden" / "duel.jsonl").read_bytes()))
    moments = [moment for moment, _ in list_moments(replay, 20)]
    shown = [(moment.number, moment.fight_step) for moment in moments[:-2]]
    fights = {number for number, step in shown if step}
    assert fights == {number for number in dict(shown) if find_fight(replay, number, "arbiter")} != set()
    assert shown == [
        (n, step)
        for n in range(replay.find_ply(20 - PLIES), replay.find_ply(20) + 1)
        for step in ((1, 2, 0) if n in fights else (0,))
    ]
    assert [moment.viewer for moment in moments[-2:]] == ["arbiter", "red"]
