"""`arbiter docs`: every page is installed with the arbiter, and a terminal shows it in its pager."""

import fnmatch
import tomllib
from pathlib import Path

import pytest
from cli.command_line import call_ok, call_refused
from cli.terminal import Terminal

from arbiter.cli.commands.docs import PAGES
from arbiter.show.page import draw_page

ROOT = Path(__file__).parent.parent.parent
SOURCES = {
    "protocol": "protocol/README.md",
    "kit": "protocol/KIT.md",
    "tournaments": "tournaments/README.md",
    "rules": "arbiter/games/README.md",
    "organisers": "docs/organisers.md",
}


@pytest.mark.parametrize(("name", "source"), SOURCES.items(), ids=SOURCES)
def test_a_page_is_printed_as_it_is(name, source):
    assert call_ok("docs", name) == (ROOT / source).read_text(encoding="utf-8")


def test_every_page_is_listed_and_part_of_the_wheel():
    lines = call_ok("docs").splitlines()
    assert [line.split()[0] for line in lines] == list(PAGES)
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    for package, file, _ in PAGES.values():
        assert (ROOT / package / file).is_file()
        assert any(fnmatch.fnmatch(file, pattern) for pattern in patterns[package]), file


def test_every_guide_has_a_page():
    shown = {(ROOT / package / file).resolve() for package, file, _ in PAGES.values()}
    assert set((ROOT / "docs").glob("*.md")) <= shown


def test_an_unknown_page_is_refused():
    refusal = call_refused("docs", "rulez")
    assert "'rulez' is not one of" in refusal
    assert "'rules'" in refusal


def test_a_page_is_drawn_for_a_terminal():
    drawn = draw_page("# Title\n\n- [One](#one)\n\n## One\n\n| a | b |\n|---|---|\n| 1 | `x` |\n", 60, colour=False)
    assert "\x1b" not in drawn
    assert "• One\n" in drawn.replace(" " * 2, "").replace(" \n", "\n")
    assert "|" not in drawn
    assert "\x1b[" in draw_page("# Title", 60, colour=True)


def test_a_terminal_shows_a_page_in_its_pager(tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED; exec head -n 3\n", encoding="utf-8")
    pager.chmod(0o755)
    with Terminal("docs", "kit", PAGER=str(pager)) as terminal:
        terminal.read_until("The kit for bots in Python")
        assert "PAGED" in terminal.written
