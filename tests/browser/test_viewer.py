"""The viewer in a real browser: it shows the frames of the replay from each seat, and obeys keys and links."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser.readable import LOOKS, check_readable
from browser.window import bounding_box
from selenium.webdriver.common.keys import Keys
from show.report.sample_reports import (
    GOLDEN,
    make_game,
    make_long_record,
    make_pages,
    make_report_data,
    replace_players,
    write_files,
)

from arbiter.record import read_record
from arbiter.show.boards import write_rank
from arbiter.show.keys import IN_GAME, select_keys
from arbiter.show.language import ENGLISH
from arbiter.show.replay.disagreements import find_disagreements
from arbiter.show.replay.knowledge import VIEWERS, is_attack
from arbiter.show.replay.plain_text import make_grid
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import describe_square
from arbiter.show.report.flat_frames import flatten_position
from arbiter.show.theme import THEMES
from protocol.words import SEATS

LETTERS = {seat[0]: seat for seat in SEATS}
PRESS_EACH = """
for (const { keys } of arbiterKeys.keys)
  for (const key of keys) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.querySelector("dialog").close();
  }
"""
pytestmark = pytest.mark.heavy
in_short_run = pytest.mark.heavy(keep=1)
GAME, DUEL, ORIGINAL, INFILTRATOR = (
    next(path for path in GOLDEN if path.stem == name)
    for name in ("clone-wars-powers", "duel", "original", "infiltrator")
)


def page_path(site, game):
    return site / "games" / f"{game.stem}.html"


def read_replay(path):
    return Replay(read_record(replace_players(path.read_bytes(), "hunter", "mine", "a note")))


def expected_pieces(replay, frame):
    """Return the pieces that the viewer must draw in a frame, each with its data, its sign and its title."""
    pieces = {}
    for key, text in flatten_position(frame).items():
        if key.startswith("@"):
            seat, rank = LETTERS[text[0]], text[1:].rstrip("'*~")
            known = None if rank == "?" else rank
            name = replay.labels[seat][known] if known else "unknown piece"
            pieces[key[1:]] = [text, write_rank(known), f"{seat}: {name}, {key[1:]}"]
    return pieces


@pytest.mark.parametrize("game", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.slow(keep=2)
@in_short_run
def test_each_frame_is_shown_to_each_seat_as_it_may_see_it(page, site, game):
    replay = read_replay(game)
    for viewer in VIEWERS:
        page.open_file(page_path(site, game), f"#0/{viewer}")
        frames = [replay.frame(number, viewer) for number in range(len(replay))]
        shown = page.step_through()
        assert [one["frame"] for one in shown] == list(range(len(replay)))
        assert [dict(one["drawn"]) for one in shown] == [expected_pieces(replay, frame) for frame in frames]
        assert [tuple(one["story"]) for one in shown] == [frame.story for frame in frames]
        assert [tuple(one["end"]) for one in shown] == [frame.ending for frame in frames]
        assert [one["notes"] for one in shown] == [
            [f"{k} notes: {v}" for k, v in frame.notes.items()] for frame in frames
        ]


@in_short_run
def test_the_text_of_the_board_hides_ranks_from_a_seat(page, site):
    page.open_file(page_path(site, DUEL), "#0/red")
    page.driver.find_element("css selector", ".words summary").click()
    page.wait("document.querySelector('.words p') !== null")
    text = page.evaluate("document.querySelector('.words').textContent")
    assert "Marshal" in text.partition("blue:")[0]
    assert set(text.partition("blue: ")[2].replace(",", "").split()) - {"unknown", "piece"} == {
        piece.place for piece in read_replay(DUEL).frame(0, "red").view.pieces if piece.seat == "blue"
    }


@in_short_run
def test_keys(page, site):
    replay = read_replay(GAME)
    page.open_file(page_path(site, GAME))
    attack = replay.find_nearest(0, is_attack, 1)
    for keys, number, seat in [
        ((Keys.ARROW_RIGHT,), 1, "arbiter"),
        ((Keys.PAGE_DOWN,), 11, "arbiter"),
        ((Keys.ARROW_LEFT, "r"), 10, "red"),
        ((Keys.END,), replay.last, "red"),
        ((Keys.ARROW_RIGHT, "b"), replay.last, "blue"),
        ((Keys.HOME, "a"), attack, "blue"),
        ((Keys.END, "A", Keys.HOME, Keys.ARROW_LEFT, "o"), 0, "arbiter"),
        (("s", "s", "s"), 0, "spectator"),
        (("s", "l", "l", "h", "j", "k"), 1, "arbiter"),
        (("1", "2", Keys.ENTER), replay.find_ply(12), "arbiter"),
        (("g", "3", Keys.ENTER, "l"), replay.find_ply(3) + 1, "arbiter"),
    ]:
        page.press(*keys)
        assert page.shown_frame() == [number, seat]


@in_short_run
def test_each_key_does_something_and_the_help_lists_it(page, site):
    page.open_file(page_path(site, GAME), "#20")
    keys = select_keys(IN_GAME, "page")
    page.driver.find_element("css selector", ".controls .help").click()
    terms = page.evaluate(
        "[...document.querySelectorAll('dialog dt')].map((term) => [term.textContent, term.nextSibling.textContent])"
    )
    assert terms[: len(keys)] == [[key.written, ENGLISH.write_key(key.text)] for key in keys]
    red, blue = (read_replay(GAME).labels[seat]["marshal"] for seat in SEATS)
    assert ["M", f"{red} / {blue}"] in terms
    page.press(Keys.ESCAPE)
    page.run_script(PRESS_EACH)  # an action that does not exist is an error on the console
    page.run_script("localStorage.clear()")


CLICKED = {
    ".controls .forward": 1,
    ".controls .back": -1,
    ".seats label.red": 0,
    ".seats label.arbiter": 0,
    ".words summary": 0,
    ".board": 0,
}


def test_keys_work_after_a_click_on_any_control(page, site):
    """After a click on a button or a seat, the arrow keys did nothing or changed the seat."""
    for control, first in CLICKED.items():
        steps = first
        page.open_file(page_path(site, GAME), "#5")
        number, _ = page.shown_frame()
        page.driver.find_element("css selector", control).click()
        seat = page.shown_frame()[1]
        for key, change in ((Keys.ARROW_RIGHT, 1), (Keys.ARROW_RIGHT, 1), (Keys.ARROW_LEFT, -1), (Keys.PAGE_DOWN, 10)):
            steps += change
            page.press(key)
            assert page.shown_frame() == [number + steps, seat], control
        page.press(Keys.HOME)
        assert page.shown_frame() == [0, seat], control


def test_the_slider_and_the_speed_keep_their_keys(page, site):
    page.open_file(page_path(site, GAME), "#5")
    page.run_script("document.querySelector('.speed select').focus()")
    page.press(Keys.ARROW_DOWN, Keys.END)
    assert page.shown_frame()[0] == read_replay(GAME).find_ply(5)
    assert page.evaluate("document.querySelector('.speed select').value") == "25"
    page.run_script("document.querySelector('.slide input').focus()")
    page.press(Keys.HOME, Keys.ARROW_UP)  # one step, not two
    assert page.shown_frame()[0] == 1


def test_controls_work_with_the_keyboard(page, site):
    page.open_file(page_path(site, GAME))
    for _ in range(30):
        page.press(Keys.TAB)
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "One step forward":
            break
    page.press(Keys.ENTER, Keys.SPACE)
    assert page.shown_frame() == [2, "arbiter"]
    page.open_file(page_path(site, GAME), "#50")
    page.driver.find_element("css selector", ".speed select").send_keys("25")
    page.press(Keys.TAB)
    page.evaluate("document.activeElement.blur()")
    page.press(Keys.SPACE)
    page.wait(f"document.querySelector('#viewer').dataset.frame === '{read_replay(GAME).last}'")
    page.wait("document.querySelector('.play').getAttribute('aria-pressed') === 'false'")
    page.open_file(page_path(site, GAME), "#50")
    page.press(Keys.SPACE, Keys.ARROW_LEFT)  # going back stops playing
    assert page.evaluate("document.querySelector('.play').getAttribute('aria-pressed')") == "false"
    page.press("7", Keys.ESCAPE)
    assert page.evaluate("[document.querySelector('.goto').value, document.activeElement.tagName]") == ["", "BODY"]
    page.press(Keys.HOME)
    assert page.shown_frame()[0] == 0


def test_the_graphs_show_the_values_at_the_cursor(page, site):
    values = "[...document.querySelectorAll('.graphs figcaption b')].map((one) => one.textContent)"
    page.open_file(page_path(site, GAME), "#0")
    assert page.evaluate(values)[:2] == ["0", "red 0 %, blue 0 %"]
    page.press(Keys.END)
    assert all(any(letter.isdigit() for letter in value) and "-" not in value for value in page.evaluate(values))


def test_a_link_opens_a_ply(page, site):
    replay = read_replay(GAME)
    twin = next(number for number in range(1, len(replay)) if replay.ply(number) == replay.ply(number - 1))
    ply = replay.ply(twin)
    for fragment, number, seat in [
        (f"#{ply}", replay.find_ply(ply), "arbiter"),
        (f"#{ply}.{twin - replay.find_ply(ply)}/red", twin, "red"),
        ("#9999", replay.last, "arbiter"),
        ("#nonsense", 0, "arbiter"),
        ("", 0, "arbiter"),
    ]:
        page.open_file(page_path(site, GAME), fragment)
        assert page.shown_frame() == [number, seat]
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "b")  # the address follows
    assert page.evaluate("location.hash") == "#2/blue"
    page.evaluate("(location.hash = '#5/red', 1)")
    page.wait("document.querySelector('#viewer').dataset.frame === '5'")
    assert page.shown_frame() == [5, "red"]


def make_site(record, lang="en"):
    """Make a report of one game."""
    data = make_report_data(("hunter", "mine"), [make_game(0, "hunter", "mine", id="long")])
    return make_pages(data, lambda _: record, lang=lang)


@in_short_run
def test_a_long_game_is_shown_although_its_data_is_a_file_of_its_own(page, tmp_path):
    record = make_long_record(GAME.read_bytes())
    write_files(tmp_path, make_site(record))
    assert (tmp_path / "games" / "long.js").exists()
    replay = Replay(read_record(record))
    page.open_file(tmp_path / "games" / "long.html", "#end/red")
    assert page.shown_frame() == [replay.last, "red"]
    assert dict(page.drawn_pieces()) == expected_pieces(replay, replay.frame(replay.last, "red"))


def test_a_long_game_whose_data_is_missing_has_a_page_that_states_it(page, tmp_path):
    write_files(tmp_path, make_site(make_long_record(GAME.read_bytes())))
    (tmp_path / "games" / "long.js").unlink()
    page.driver.get((tmp_path / "games" / "long.html").as_uri())
    page.wait("document.querySelector('#viewer > .note')")
    assert "is missing" in page.evaluate("document.querySelector('#viewer > .note').textContent")
    assert any("long.js" in message for message in page.console_messages())


def test_the_report_works_on_a_web_server(page, site):
    (site / "favicon.ico").touch()  # a browser may request it from a server
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    handler.func.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.visit(f"http://127.0.0.1:{server.server_port}/games/{GAME.stem}.html#3/blue")
        assert page.shown_frame() == [3, "blue"]
        page.driver.get("about:blank")
        server.shutdown()


BOXES = """
[...document.querySelectorAll("#viewer > .stage, .deck, .info, .seats, .moves, .graphs, .extras")].map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [one.className, left, top, right, bottom];
})
"""


def find_overlaps(page):
    """Return the parts of the viewer that overlap another part or leave the page, and those whose text is clipped."""
    boxes = page.evaluate(BOXES.strip())
    width = page.evaluate("document.documentElement.clientWidth")
    found = [name for name, left, _, right, _ in boxes if left < 0 or right > width]
    for number, (one, left, top, right, bottom) in enumerate(boxes):
        found += [
            (one, other)
            for other, its_left, its_top, its_right, its_bottom in boxes[number + 1 :]
            if left < its_right - 1 and its_left < right - 1 and top < its_bottom - 1 and its_top < bottom - 1
        ]
    return found


@in_short_run
@pytest.mark.parametrize("size", [(360, 740), (1280, 720)])
@pytest.mark.parametrize("game", ["clone-wars-powers", "card-game"])
def test_board_and_controls_fit_the_window_and_never_move(page, site, game, size):
    page.resize(*size)
    page.open_file(site / "games" / f"{game}.html")
    places = set()
    for key in (Keys.HOME, "a", "a", Keys.END, "b", "f"):
        page.press(key)
        assert find_overlaps(page) == []
        assert page.evaluate("document.querySelector('.board').getBoundingClientRect().top") > 0
        places.add(tuple(page.evaluate(f"[{bounding_box('.deck')}.top, {bounding_box('.controls')}.bottom]")))
    ((_, bottom),) = places
    assert bottom <= size[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def list_looks(page):
    """Return the looks of the pieces on the board by square."""
    script = (
        "[...document.querySelectorAll('#viewer .piece')].map((one) => [one.dataset.place, one.getAttribute('class')])"
    )
    return {place: set(names.split()[1:]) for place, names in page.evaluate(script)}


@in_short_run
def test_pieces_that_the_opponent_knows_look_different(page, site):
    replay = read_replay(GAME)
    views = {seat: replay.view(replay.last, seat) for seat in SEATS}
    known = {
        piece.place
        for seat, other in (("red", "blue"), ("blue", "red"))
        for piece in views[other].pieces
        if piece.seat == seat and piece.rank
    }
    owners = {piece.place: piece.seat for piece in replay.view(replay.last, "arbiter").pieces}
    assert 0 < len(known) < len(owners)
    page.open_file(page_path(site, GAME), "#end")
    assert list_looks(page) == {
        place: {owner, "seen" if place in known else "secret"} for place, owner in owners.items()
    }
    page.press("r")
    assert list_looks(page) == {
        place: {owner, "seen" if place in known else "secret"}
        if owner == "red"
        else {owner} | (set() if place in known else {"back"})
        for place, owner in owners.items()
    }
    assert page.evaluate("document.querySelectorAll('.piece.seen .eye').length") == len(
        [place for place in known if owners[place] == "red"]
    )


ASK_EACH = """
return Object.fromEntries([...document.querySelectorAll("[data-square]")].map(({ dataset }) => {
  const find = () => document.querySelector(`[data-place=${dataset.square}]`) || document.querySelector(`[data-square=${dataset.square}]`);
  find().dispatchEvent(new MouseEvent("click", { bubbles: true }));
  return [dataset.square, document.querySelector(".asked").textContent];
}));
"""


@in_short_run
@pytest.mark.parametrize(
    ("lang", "viewers"), [("en", VIEWERS[:1]), ("en", VIEWERS[1:]), pytest.param("de", VIEWERS, marks=pytest.mark.slow)]
)
def test_a_click_on_a_square_shows_what_each_side_knows_in_the_words_of_the_terminal(page, tmp_path, lang, viewers):
    write_files(tmp_path, make_site(ORIGINAL.read_bytes(), lang))
    replay = Replay(read_record(ORIGINAL.read_bytes()), lang)
    frame = replay.find_ply(60)
    for viewer in viewers:
        page.open_file(tmp_path / "games" / "long.html", f"#60/{viewer}")
        assert page.shown_frame() == [frame, viewer]
        squares = [square for row in make_grid(replay.frame(frame, viewer)).rows for square in row.squares]
        assert page.driver.execute_script(ASK_EACH) == {
            square.place: describe_square(replay, frame, viewer, square) for square in squares
        }
    assert page.evaluate("document.querySelector('.asked').closest('[lang]').lang") == lang


IN_USE = """
for (const element of document.querySelectorAll(".words, details")) element.open = true;
document.querySelector("[data-place]").dispatchEvent(new MouseEvent("click", { bubbles: true }));
"""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.slow(keep=1)
def test_a_game_is_accessible_in_each_theme(page, site, theme):
    page.open_file(page_path(site, ORIGINAL), "#40")
    page.press("a")
    page.run_script(IN_USE)
    page.run_script(f"document.documentElement.dataset.theme = {theme!r}")
    check_readable(page, [((1280, 720), "light"), ((360, 740), "light")])
    page.run_script("document.querySelector('dialog').showModal()")
    check_readable(page, [((1280, 720), "light"), ((360, 740), "light")])


def test_a_fight_shows_both_pieces_and_its_result(page, site):
    page.open_file(page_path(site, ORIGINAL))
    page.press("a")
    number = page.shown_frame()[0]
    words = page.evaluate("document.querySelector('.fight').textContent")
    assert " beats " in words or " falls " in words
    assert page.evaluate("document.querySelectorAll('.fight svg').length") == 2
    assert page.evaluate("document.querySelector('.move.current').dataset.frame") == str(number)
    assert page.evaluate("document.querySelectorAll('.marks line').length") == sum(
        is_attack(replay.act(number)) for replay in [read_replay(ORIGINAL)] for number in range(1, len(replay))
    )


def test_nothing_moves_if_the_reader_prefers_that(page, site):
    feature = {"name": "prefers-reduced-motion", "value": "reduce"}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    page.open_file(page_path(site, GAME))
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.evaluate("document.getAnimations().length") == 0
    page.set_colour_scheme("light")  # replaces the preference
    press = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"
    assert page.evaluate(f"({press}, document.getAnimations().length)") > 0


POINTS = """
Object.fromEntries([...document.querySelectorAll(".graphs .evals polyline")].map((line) =>
  [line.getAttribute("class"), line.getAttribute("points").split(" ").length]))
"""


@pytest.mark.heavy
@in_short_run
def test_the_evaluations_of_a_seat_are_plotted_for_it_and_for_the_arbiter(page, site):
    replay = read_replay(GAME)
    moves = [replay.act(number).entry.seat for number in range(1, len(replay))]
    for viewer, seats in (("red", ("red",)), ("blue", ("blue",)), ("arbiter", SEATS)):
        page.open_file(page_path(site, GAME), f"#0/{viewer}")
        # The frame of the setup has an evaluation of both deployments.
        assert page.evaluate(POINTS.strip()) == {seat: 1 + moves.count(seat) for seat in seats}
    page.run_script(
        "document.querySelector('.graphs .evals svg').dispatchEvent(new MouseEvent('click', {clientX: 9999}))"
    )
    assert page.evaluate("Number(document.querySelector('#viewer').dataset.frame)") == replay.last
    assert page.evaluate("document.querySelector('.texts .bot-eval').textContent.includes(' evaluates: ')")


REPORTS = """
[...document.querySelectorAll(".moves .move")].map((move) =>
  ["small", "q"].map((part) => move.querySelector(part)?.textContent ?? null))
"""


def test_the_reports_of_both_bots_are_listed_ply_by_ply(page, site):
    replay = read_replay(INFILTRATOR)
    acts = [replay.act(number).entry for number in range(1, len(replay))]
    found = find_disagreements(replay, replay.last)
    assert found
    page.open_file(page_path(site, INFILTRATOR), "#20")
    page.press("w")
    page.wait("document.querySelector('.with-reports .move q')")
    values = [f"{act.eval:+g}".replace("+0", "0").replace("-", "\N{MINUS SIGN}") for act in acts]
    marks = [" ≠" * (number in found) for number in range(1, len(replay))]
    assert page.evaluate(REPORTS.strip()) == [
        [value + mark, "a note"] for value, mark in zip(values, marks, strict=True)
    ]
    assert page.evaluate("document.querySelectorAll('.graphs .marked').length") == len(found)
    check_readable(page, LOOKS[:2])
    page.open_file(page_path(site, INFILTRATOR), "#20/red")  # the button is remembered
    own = [[value, "a note"] if act.seat == "red" else [None, None] for act, value in zip(acts, values, strict=True)]
    assert page.evaluate(REPORTS.strip()) == own
    page.driver.find_element("css selector", ".seats .reports").click()
    assert page.evaluate(REPORTS.strip()) == [[None, None]] * len(acts)


@pytest.mark.heavy
@in_short_run
def test_turning_points_are_listed_for_those_who_may_read_them_and_lead_to_their_plies(page, site):
    replay = read_replay(INFILTRATOR)
    for viewer in VIEWERS:
        page.open_file(page_path(site, INFILTRATOR), f"#0/{viewer}")
        listed = page.evaluate(
            "[...document.querySelectorAll('.story button')].map((one) => one.innerText.split('\\n'))"
        )
        points = replay.turning_points(viewer)
        assert listed == [[str(replay.ply(number)), one.describe(replay.sentences)] for number, one in points]
    page.evaluate("document.querySelectorAll('.story button')[1].click()")
    number = replay.turning_points(VIEWERS[-1])[1][0]
    assert page.evaluate("document.querySelector('#viewer').dataset.frame") == str(number)
    assert page.evaluate("document.querySelector('.story [aria-current]').dataset.frame") == str(number)
    assert page.evaluate("document.querySelector('.move.current').classList.contains('turning')")
