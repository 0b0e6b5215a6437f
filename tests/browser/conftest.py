"""Fixtures: a browser for all tests of a file, and reports to open in it."""

import shutil

import pytest
from browser.window import CHROMIUM, DRIVER, Window
from show.report.sample_reports import GOLDEN, make_game, make_log, make_pages, make_report_data, replace_players

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.fixture(scope="module")  # closed before other tests look for processes that games leave behind
def window(tmp_path_factory):
    """Open a browser with an empty profile."""
    programs = shutil.which(CHROMIUM), shutil.which(DRIVER)
    if not all(programs):
        pytest.skip(f"{CHROMIUM} and {DRIVER} are not installed")
    window = Window(*programs, tmp_path_factory.mktemp("profile"))
    yield window
    window.close()


@pytest.fixture
def page(window):
    """Return the browser with no page open; fail if there are console messages at the end."""
    window.reset()
    yield window
    assert window.console_messages() == []


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Write a report of the golden games, one for each rule set, and one forfeited game; return its folder."""
    return _write_report(tmp_path_factory.mktemp("site"), "hunter", "mine", "a note")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Write a report of the same games between bots whose names and notes contain markup and scripts."""
    return _write_report(tmp_path_factory.mktemp("hostile"), HOSTILE, "</pre></title>{{ 7 * 7 }}", HOSTILE)


def _write_report(folder, red, blue, note):
    games = [make_game(number, red, blue, id=path.stem) for number, path in enumerate(GOLDEN)]
    games.append(make_game(len(games), red, blue, id="forfeited", ending="crash", why=note))
    records = {
        game.id: replace_players(path.read_bytes(), red, blue, note)
        for game, path in zip(games, [*GOLDEN, GOLDEN[0]], strict=True)
    }
    pages = make_pages(make_report_data((red, blue), games, name=red), records.__getitem__, lambda _: make_log(note))
    for path, content in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder
