"""Every state of the page of a person: readable, with the right controls, and explained."""

import pytest
from browser.player import Person, open_table, read_game
from browser.readable import check_readable

from arbiter.record import read_record

pytestmark = pytest.mark.heavy


@pytest.fixture
def newcomer(request, page, tmp_path):
    """Open a table against a bot, with a game of duel or of the parameter."""
    rules = getattr(request, "param", "duel")
    with open_table(tmp_path, "random", "--web", "--rules", rules, "--as", "red", "--aids", "marks", "--seed", "5") as (
        _,
        (address,),
    ):
        person = Person(page, "mouse")
        person.open(address)
        page.wait("arbiterPage.setup")
        yield person
        page.driver.get("about:blank")


@pytest.fixture
def person(newcomer):
    """Let the person deploy."""
    newcomer.deploy()
    newcomer.wait_for_turn()
    return newcomer


def test_every_state_is_readable(newcomer, page):
    person = newcomer
    check_readable(page)
    person.button("clear")
    page.wait("document.querySelector('.tray .chip')")
    check_readable(page)
    person.button("style_attack")
    page.resize(1280, 900)
    person.deploy()
    person.wait_for_turn()
    legal = person.page("turn.legal()")
    person.press(legal[0]["src"])
    page.wait("document.querySelector('.cell.target')")
    check_readable(page)
    page.resize(1280, 900)
    person.press("c5")  # a lake
    page.wait("document.querySelector('.says').textContent")
    enemy = page.evaluate("[...arbiterPage.game.knowledge.pieces].find(([, piece]) => piece.seat === 'blue')[0]")
    person.open_choices(enemy)
    check_readable(page)
    page.resize(1280, 900)
    person.tap(".choices .sign")
    page.wait(f"document.querySelector(\".cell[data-place='{enemy}']\").dataset.mark")
    person.button("resign")
    check_readable(page)
    page.resize(1280, 900)
    person.button("resign_yes")
    page.wait("document.querySelector('[data-key=rematch]')")
    check_readable(page)


def test_the_editor_of_deployments(newcomer, page):
    person = newcomer
    signs = person.page("setup.draw()")
    assert sorted(signs.replace("\n", "").replace(".", "")) == sorted(
        "".join(
            page.evaluate(
                "Object.entries(arbiterPage.setup.rules.army).map(([rank, count]) => arbiterPage.setup.data.ranks[rank].sign.repeat(count))"
            )
        )
    )
    letters = person.page("setup.letters()")
    pieces = person.page("setup.pieces")
    taken = next(iter(pieces))
    free = next(square for square in page.evaluate("[...arbiterPage.setup.squares]") if square not in pieces)
    person.press(taken, ".setup")
    person.press(free, ".setup")
    assert person.page("setup.pieces")[free] == pieces[taken]
    person.press(free, ".setup")
    person.press(free, ".setup")
    assert page.evaluate("document.querySelector('.setup .says').textContent") == "Still to place: 1."
    assert page.evaluate("document.querySelector('[data-key=begin]').disabled")
    for text in (signs, letters):
        page.driver.execute_script(
            "document.querySelector('.as-text').open = true; arbiterPage.setup.area.value = arguments[0]", text
        )
        person.button("use_text")
        assert person.page("setup.pieces") == pieces
    wrong = {"M" * 40: "more pieces", "x": "4 rows of 10 signs", signs.replace("F", "Q"): "Q is no piece"}
    for text, said in wrong.items():
        page.driver.execute_script("arbiterPage.setup.area.value = arguments[0]", text)
        person.button("use_text")
        assert said in page.evaluate("document.querySelector('.setup .says').textContent")
    person.button("save")
    person.button("mirror")
    assert person.page("setup.pieces") != pieces
    person.tap(".setup .load")
    assert person.page("setup.pieces") == pieces


def test_a_move_in_advance_is_played_or_cancelled(person, page):
    page.driver.execute_script(
        "arbiterPage.turn.premove = ['a1', 'a1']; arbiterPage.turn.question = null; arbiterPage.turn.open(arbiterPage.game.question, null)"
    )
    assert person.page("turn.says") == "The move in advance is cancelled."
    move = next(action for action in person.page("turn.legal()") if action["type"] == "move")
    page.driver.execute_script(
        "arbiterPage.turn.premove = arguments[0]; arbiterPage.turn.open(arbiterPage.game.question, null)",
        [move["src"], move["dst"]],
    )
    page.wait(f"arbiterPage.game.acts.some(({{move}}) => move.startsWith('{move['src']}'))")


@pytest.mark.parametrize("newcomer", ["original"], indirect=True)  # a game that does not end after two moves
def test_marks_are_recorded_if_the_person_likes(person, page, tmp_path):
    mark_a_piece(person, page)
    move_without_attack(person)
    person.tap("[name=record_marks]")
    mark_a_piece(person, page)
    marks = page.evaluate(
        "[...document.querySelectorAll('.cell[data-mark]')].map(({dataset}) => `${dataset.place} = ${dataset.mark}`)"
    )
    move_without_attack(person)
    if not person.is_over:
        person.button("resign")
        person.button("resign_yes")
    page.wait("document.querySelector('[data-key=rematch]')")
    [note] = [act.note for act in read_record(read_game(tmp_path)).acts if act.note]
    assert sorted(note.removeprefix("marks: ").split(", ")) == sorted(marks)


def move_without_attack(person):
    taken = person.window.evaluate("[...arbiterPage.game.knowledge.pieces.keys()]")
    person.act(next(action for action in person.page("turn.legal()") if action["dst"] not in taken))
    person.wait_for_turn()


def mark_a_piece(person, page):
    """Mark the first hidden piece of the bot that has no mark, where it is now."""
    place = page.evaluate(
        """[...arbiterPage.game.knowledge.pieces]
        .filter(([place, piece]) => piece.seat === "blue" && !piece.rank)
        .map(([place]) => place)
        .find((place) => !document.querySelector(`.cell[data-place='${place}']`).dataset.mark)"""
    )
    person.open_choices(place)
    person.tap(".choices .sign")
    page.wait(f"document.querySelector(\".cell[data-place='{place}']\").dataset.mark")


def test_a_way_that_is_not_free_is_explained(person, page):
    page.driver.execute_script(
        """const {turn} = arbiterPage, {pieces} = arbiterPage.game.knowledge;
        for (const place of ["a5", "a6", "a7"]) pieces.delete(place);
        pieces.set("a4", {seat: "red", rank: "scout", start: "a4"});
        pieces.set("a6", {seat: "blue", rank: null, start: "a6"});
        turn.selected = "a4"; turn.attempt("a7"); arbiterPage.render();"""
    )
    page.wait("document.querySelector('.says').textContent === 'The way to a7 is not free.'")
    page.driver.execute_script(
        """const {turn} = arbiterPage;
        arbiterPage.game.knowledge.pieces.set("b5", {seat: "red", rank: "scout", start: "b5"});
        turn.selected = "b5"; turn.attempt("e5"); arbiterPage.render();"""
    )
    page.wait("document.querySelector('.says').textContent === 'The way to e5 leads over a lake.'")


@pytest.mark.parametrize("newcomer", ["original"], indirect=True)  # two moves without attacks do not end it
def test_a_refused_move_is_explained_and_taken_back(person, page):
    page.driver.execute_script(
        "arbiterPage.turn.open(arbiterPage.game.question, 'two squares: a4-a5 crosses the same border too many times in a row'); arbiterPage.render()"
    )
    page.wait("document.querySelector('.says').textContent.includes('in at most 3 turns')")
    move_without_attack(person)
    page.driver.execute_script("arbiterPage.turn.send({type: 'move', src: 'a10', dst: 'a9'})")
    page.wait("document.querySelector('.says').textContent.startsWith('Not allowed:')")
    move_without_attack(person)
    assert not person.is_over
