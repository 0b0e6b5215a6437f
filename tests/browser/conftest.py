"""One real browser for the tests of a file, and a report for it to open."""

import shutil

import pytest
from browser.window import CHROMIUM, DRIVER, Window
from show.report.reported import GOLDEN, log_of, pages_of, renamed, results_of, stored

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.fixture(scope="module")  # gone before this process plays games whose tests look for what is left of them
def window(tmp_path_factory):
    """Open a browser that is nobody's."""
    programs = shutil.which(CHROMIUM), shutil.which(DRIVER)
    if not all(programs):
        pytest.skip(f"{CHROMIUM} and {DRIVER} are not installed")
    window = Window(*programs, tmp_path_factory.mktemp("profile"))
    yield window
    window.close()


@pytest.fixture
def page(window):
    """Return the browser as a reader has it who comes to a new page; nothing may be complained of in the end."""
    window.begin()
    yield window
    assert window.complaints() == []


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Write a report of the golden games, one a rule set, of which one was forfeited; return its folder."""
    return _written(tmp_path_factory.mktemp("site"), "hunter", "mine", "a note")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Write a report of the same games between bots that mean harm."""
    return _written(tmp_path_factory.mktemp("hostile"), HOSTILE, "</pre></title>{{ 7 * 7 }}", HOSTILE)


def _written(folder, red, blue, note):
    games = [stored(number, red, blue, id=path.stem) for number, path in enumerate(GOLDEN)]
    games.append(stored(len(games), red, blue, id="forfeited", ending="crash", why=note))
    records = {
        game.id: renamed(path.read_bytes(), red, blue, note)
        for game, path in zip(games, [*GOLDEN, GOLDEN[0]], strict=True)
    }
    pages = pages_of(results_of((red, blue), games, name=red), records.__getitem__, lambda _: log_of(note))
    for path, content in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder
