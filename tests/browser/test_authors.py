"""The page of an author in a real browser: a program is submitted, checked, promoted, and a lost game contested."""

import json
import re

import pytest
from browser.readable import LOOKS, check_readable
from browser.window import HASTEN
from cli.command_line import PATIENCE_S, StartedArbiter, call_ok, write_program, write_tournament
from selenium.webdriver.common.by import By
from submissions.submitted import store_program

from arbiter.sandbox.select import NoSandbox, open_sandbox
from arbiter.submissions.store import ContestedGame, Submissions
from protocol.reasons import Unusable

# Ends at once, with a word on stderr.
LOSER = "#!/usr/bin/env python3\nimport sys\nprint('lost on purpose', file=sys.stderr)\nsys.exit(3)\n"


@pytest.fixture
def ladder(page, tmp_path, monkeypatch):
    """Run a ladder whose bot `mine` crashes in each game; yield its file and the link of that author."""
    try:
        open_sandbox()
    except NoSandbox as lack:
        pytest.skip(f"no sandbox: {lack}")
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    call_ok("new-bot", "mybot.py")
    write_program(tmp_path / "loser.py", LOSER)
    bots = ({"name": "mine", "command": ["./loser.py"]}, "random")
    file = write_tournament(tmp_path, bots=bots, format="ladder", submissions={"open": True, "pairs": 0}, max_games=2)
    words = ("run", file, "--serve", 0, "--sandbox", "full", "--jobs", 1)
    with page.run_before_pages(HASTEN), StartedArbiter(*words) as running:
        running.read_until("watch it at")
        address = re.search(r"http://\S+/", running.lines[-1])[0]
        running.read_until("the pages stay at")
        invited = json.loads(call_ok("invite", file, "mine", "--submit", "--address", address, "--json"))
        organiser = json.loads(call_ok("invite", file, "eva", "--organise", "--address", address, "--json"))
        yield file, invited["page"], organiser["address"]


def test_an_author_hands_in_a_program_promotes_it_and_contests_a_game(page, ladder, tmp_path):
    file, link, _ = ladder
    page.driver.get(link)
    page.wait("document.body.dataset.ready === ''")
    assert page.evaluate("location.pathname + location.hash").startswith("/submit/")
    assert page.evaluate("location.hash") == ""
    page.driver.find_element(By.ID, "files").send_keys(str(tmp_path / "mybot.py"))
    page.wait("document.getElementById('command').value === './mybot.py'")
    page.driver.find_element(By.CSS_SELECTOR, "form .main").click()
    page.wait("/passed|failed|refused/.test(document.querySelector('[data-number] .state')?.innerText)", PATIENCE_S)
    page.wait("document.querySelector('[data-key=promote-1]')")
    steps = page.evaluate("document.querySelector('[data-number=\"1\"] pre').textContent")
    assert re.match(r" +0  unpack", steps)
    check_readable(page, LOOKS[:1])
    page.driver.execute_script("document.querySelector('[data-key=promote-1]').click()")  # it may be drawn again
    page.wait("document.querySelector('[data-key=rollback-1]')")
    assert page.evaluate("document.getElementById('plays').textContent") == "mine-1 plays in the ladder now."
    page.driver.find_element(By.ID, "games").click()
    page.wait("document.querySelector('#lost button')")
    first = page.driver.find_element(By.CSS_SELECTOR, "#lost article")
    log, contest = first.find_elements(By.TAG_NAME, "button")
    log.click()
    page.wait("document.querySelector('#lost pre')")
    assert page.evaluate("document.querySelector('#lost pre').textContent") == "lost on purpose\n"
    contest.click()
    first.find_element(By.TAG_NAME, "input").send_keys("<b>no</b> fault of mine")
    first.find_element(By.CSS_SELECTOR, "form button").click()
    page.wait("document.querySelector('#lost .note')")
    assert page.evaluate("document.querySelector('#lost .note').textContent") == "Contested: <b>no</b> fault of mine"
    check_readable(page, LOOKS[1:])
    page.driver.find_element(By.ID, "leave").click()
    page.wait("location.pathname === '/submit/' && document.getElementById('state').textContent.includes('complete')")
    # The page may have asked for its programs just before the session ended.
    assert [said for said in page.console_messages() if "/submissions/own - Failed to load" not in said] == []
    listed = json.loads(call_ok("submissions", file, "--json"))
    assert (listed["number"], listed["plays"]) == (1, True)


def fill_desk(file):
    """Store programs and a contest, with texts that would be elements if they were not escaped."""
    submissions = Submissions(next(file.parent.rglob("*.sqlite")).with_suffix(".submissions"))
    for bot, state in (("mine", "passed"), ("mine", "failed"), ("<i>x</i>", "passed")):
        store_program(submissions, bot, state=state, reason=Unusable("<b>no</b>") if state == "failed" else None)
    contest = ContestedGame(
        game="mine~random~1", author="mine", version="mine", why="<u>why</u>", at="2026-01-01T00:00:00+00:00"
    )
    with submissions.deciding("mine", "contested", game=contest.game) as decisions:
        decisions.contests.append(contest)


@pytest.mark.heavy
def test_an_organiser_decides_in_the_language_of_the_browser(page, ladder):
    file, link, address = ladder
    fill_desk(file)
    page.driver.get(address)
    page.wait("document.body.dataset.ready === ''")
    assert page.evaluate("location.pathname + location.hash").startswith("/organise/")
    assert page.evaluate("document.querySelectorAll('main i, main u, main b').length") == 0

    def press(key):
        page.driver.execute_script(f"document.querySelector(\"[data-key='{key}']\").click()")  # it may be drawn again

    def give_reason(key, why):
        press(key)
        form = page.driver.find_element(By.CSS_SELECTOR, "article form")
        form.find_element(By.TAG_NAME, "input").send_keys(why)
        check_readable(page)
        form.find_element(By.TAG_NAME, "button").click()

    give_reason("reject-1", "too slow")
    page.wait("document.querySelector('[data-number=\"1\"] strong').textContent.includes('too slow')")
    press("promote-1")
    page.wait("document.querySelector('[data-key=rollback-1]')")
    page.wait("document.getElementById('says').textContent === 'mine-1 plays instead of mine.'")
    give_reason("dismiss-1", "a fair loss")
    page.wait("document.querySelector('[data-contest=\"1\"]').textContent.includes('a fair loss')")
    page.driver.find_element(By.NAME, "author").send_keys("mine")
    page.driver.find_element(By.NAME, "why").send_keys("spam")
    page.driver.find_element(By.CSS_SELECTOR, "#ban button").click()
    page.wait("document.querySelector('[data-key=lift-mine]')")
    page.driver.execute_script("localStorage.setItem('arbiter-play-lang', '\"de\"')")
    page.driver.refresh()
    page.wait("document.body.dataset.ready === ''")
    assert page.evaluate("document.title") == "Veranstalter: eva"
    press("lift-mine")
    page.wait("!document.querySelector('[data-key=lift-mine]')")
    check_readable(page)
    (author, own) = (json.loads(line) for line in call_ok("invite", file, "--list", "--json").splitlines())
    press(f"revoke-{author['id']}")
    press(f"really-{author['id']}")
    page.wait(f"!document.querySelector('[data-key^=really], [data-key=\"revoke-{author['id']}\"]')")
    press(f"revoke-{own['id']}")
    press(f"really-{own['id']}")
    page.wait("document.getElementById('says').textContent.includes('session')")
    assert page.run_script("import('/people/desk.js').then((desk) => desk.isOver)")
    page.console_messages()  # the refusal is one of them
    page.driver.get(link)
    page.wait("document.getElementById('state').textContent.includes('widerrufen')")
    check_readable(page)
    page.console_messages()
    states = [json.loads(line)["state"] for line in call_ok("invite", file, "--list", "--json").splitlines()]
    assert states == ["revoked", "revoked"]
