"""People play in a real browser against a bot and against each other, by mouse, touch and keyboard."""

import pytest
from browser.player import Person, open_table, read_game
from browser.window import DESKTOP

from arbiter.games.catalogue import RULE_SETS
from arbiter.record import read_record

PHONE = (360, 740)
HANDS = ("mouse", "touch", "keyboard")
SHOWN = {("clone-wars-powers", "touch", PHONE): (), ("duel", "mouse", DESKTOP): pytest.mark.heavy}
SHOWN[("card-game", "keyboard", DESKTOP)] = pytest.mark.heavy
GAMES = [(rules.name, hand, size) for rules in RULE_SETS for hand in HANDS for size in (DESKTOP, PHONE)]


@pytest.mark.parametrize(
    ("rules", "hand", "size"), [pytest.param(*game, marks=SHOWN.get(game, pytest.mark.slow)) for game in GAMES], ids=str
)
def test_a_whole_game_against_a_bot(page, tmp_path, rules, hand, size):
    page.resize(*size)
    limit = ("--set", f"max_plies={12 if (rules, hand, size) in SHOWN else 150}")
    with open_table(tmp_path, "random", "--web", "--rules", rules, "--seed", "5", *limit) as (_, (address,)):
        person = Person(page, hand)
        person.open(address)
        assert person.play() > 1  # a card game may end soon
        over = person.page("game.over")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        seat = person.page("game.seat")
        page.wait("document.querySelector('[data-key=rematch]')")
        person.button("rematch")
        page.wait("arbiterPage.setup && !arbiterPage.game.over")
        assert person.page("game.foe") == seat
        page.driver.get("about:blank")
    record = read_record(read_game(tmp_path))
    assert record.result.ending == over["ending"]
