"""Whole screens of games: what they show at any size, who knows what, what a click finds, and foreign texts."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from show.sample_record import watched_game
from show.screen.kept import assert_screen
from twins import make_twins

from arbiter.languages.catalogue import LANGUAGES
from arbiter.record import ActEntry, GameHeader, PlayerName, Record, read_record
from arbiter.show.boards import Square
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import ScreenMoment
from arbiter.show.screen.canvas import LOOKS, MONO
from arbiter.show.screen.graphs import draw_from_zero
from arbiter.show.screen.screen import ScreenPainter
from protocol.words import SEATS

GOLDEN = Path(__file__).parents[2] / "games" / "golden"
US, CLONE_WARS, CARDS, DUEL, INFILTRATOR = (
    read_record((GOLDEN / f"{name}.jsonl").read_bytes())
    for name in ("us", "clone-wars-powers", "card-game", "duel", "infiltrator")
)
SIZES = [(80, 24), (81, 23), (80, 20), (120, 40), (200, 60), (100, 60), (300, 100)]


def paint(found, number=0, size=(80, 24), lang="en", **other):
    return ScreenPainter(Replay(found, lang)).paint(ScreenMoment(number=number, **other), *size)


# --- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found", "number", "size", "other"),
    [
        ("small", watched_game(), 1, (80, 24), {"viewer": "red"}),
        ("small-flipped", watched_game(), 6, (80, 24), {"viewer": "blue", "bottom": "blue", "pace": "▶ 2/s"}),
        ("large-german", CLONE_WARS, 12, (200, 60), {"viewer": "blue", "lang": "de"}),
        ("medium", US, 59, (120, 40), {"selected": Square("f2")}),
        ("before-the-fight", US, 59, (80, 24), {"fight_step": 1}),
        ("the-fight", US, 59, (80, 24), {"fight_step": 2}),
        ("cards", CARDS, 1, (80, 24), {"viewer": "red"}),
        ("cards-german", CARDS, 7, (80, 24), {"lang": "de"}),
        ("infiltrator-german", INFILTRATOR, 40, (80, 24), {"lang": "de", "shows_reports": True}),
        ("too-small", watched_game(), 0, (70, 17), {}),
    ],
)
def test_screens(name, found, number, size, other):
    assert_screen(name, paint(found, number, size, **other).write_text())


@pytest.mark.parametrize("found", [US, CLONE_WARS, CARDS])
def test_every_size_shows_the_whole_board_and_nothing_outside(found):
    painter = ScreenPainter(Replay(found))
    for size in SIZES:
        screen = painter.paint(ScreenMoment(number=painter.replay.last), *size)
        lines = ["".join(segment.text for segment in line) for line in screen.lines]
        assert [len(line) for line in lines] == [size[0]] * size[1]
        assert "? help" in lines[-1]
        rows = range(1, 11) if found is not CARDS else ("red hand", "red line", "blue line", "blue hand")
        assert all(any(re.match(rf" ?{row}\b", line) for line in lines) for row in rows)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("found", [US, CARDS, DUEL, INFILTRATOR])
def test_a_terminal_of_80_columns_shows_the_labels_of_every_language_whole(found, lang):
    sentences = SentenceWriter(lang)
    replay = Replay(found, lang)
    painter = ScreenPainter(replay)
    for number in (0, 1, replay.last):
        lines = painter.paint(ScreenMoment(number=number, shows_reports=number == 1), 80, 24).write_text().splitlines()
        text = "\n".join(lines)
        wanted = [sentences.write("graph_seen", seat=sentences.write_seat(seat)) for seat in SEATS]
        wanted += [sentences.write("own_lost", pieces=""), sentences.write_key("footer_quit")]
        if found is CARDS:
            wanted += [sentences.write(f"row_{row}", seat=sentences.write_seat("blue")) for row in ("hand", "line")]
        assert [one for one in wanted if f"{one.strip()}" not in text] == []
        assert max(map(len, lines)) <= 80


def test_larger_screens_have_larger_squares_and_more_moves():
    painter = ScreenPainter(Replay(US))
    small, medium, large = (painter.paint(ScreenMoment(number=40), *size) for size in [(80, 24), (120, 40), (200, 60)])
    cells = [screen.layout.cell for screen in (small, medium, large)]
    assert [(cell.width, cell.height) for cell in cells] == [(5, 1), (8, 2), (12, 4)]
    counts = [len(screen.moves.cells) for screen in (small, medium, large)]
    assert counts == sorted(set(counts))


# --- who knows what -------------------------------------------------------------------------------


def signs_of(screen, place):
    """Return the signs and the styles of a square."""
    box = screen.layout.board
    found = []
    for y, line in enumerate(screen.lines):
        x = 0
        for segment in line:
            for sign in segment.text:
                square = screen.square_at(x, y) if box.contains(x, y) else None
                if square is not None and square.place == place:
                    found.append((sign, segment.style))
                x += 1
    return "".join(sign for sign, _ in found).strip(" ✦▸▹>"), {style for _, style in found}


def test_known_and_hidden_pieces_differ_by_sign_and_colour():
    screen = paint(watched_game(), 1)  # red's miner has just taken a bomb, so blue knows it
    assert signs_of(screen, "b7")[0] == "R3◉"
    assert signs_of(screen, "a4")[0] == "R9"
    look = LOOKS["night"]
    assert look.known["red"] in signs_of(screen, "b7")[1]
    assert look.hidden["red"] in signs_of(screen, "a4")[1]


@pytest.mark.parametrize(("viewer", "b7"), [("red", "R3◉"), ("blue", "R3'"), ("spectator", "R3'"), ("arbiter", "R3◉")])
def test_only_a_viewer_that_sees_secrets_is_shown_who_knows_a_piece(viewer, b7):
    assert signs_of(paint(watched_game(), 1, viewer=viewer), "b7")[0] == b7


@pytest.mark.parametrize(
    ("viewer", "place", "said"),
    [
        ("blue", "b6", "b6: no piece."),
        ("blue", "c6", "c6: a lake."),
        ("blue", "j10", "j10: blue Flag (F). ▨ Its rank is hidden from red."),
        ("blue", "e6", "e6: red, rank unknown. Possible ranks: M 9 8(2) 7(3) 6(4) 5(4) 4(4) 3(4) 2(8) S B(6) F"),
        ("red", "b7", "b7: red Miner (3). It has moved. ◉ Its rank is known to blue."),
        (
            "arbiter",
            "a4",
            "a4: red General (9). ▨ Its rank is hidden from blue. Possible ranks for blue: M 9 8(2) 7(3)",
        ),
        ("spectator", "b7", "b7: red Miner (3). It has moved."),
    ],
)
def test_a_selected_square_shows_who_knows_what(viewer, place, said):
    screen = paint(watched_game(), 1, viewer=viewer, selected=Square(place)).write_text()
    assert said in " ".join(screen.split())


def test_a_hidden_piece_that_has_moved_is_no_bomb_and_no_flag():
    screen = " ".join(paint(watched_game(), 5, viewer="blue", selected=Square("a6")).write_text().split())
    assert "a6: red, rank unknown. It has moved. Possible ranks: M 9 8(2) 7(3) 6(4) 5(4) 4(4) 3(4) 2(8) S" in screen


@pytest.mark.parametrize("observer", ["red", "blue"])
def test_hidden_ranks_change_nothing_on_the_screen(observer):
    pair = next(pair for seed in range(12) if (pair := make_twins(seed, observer, rules="barrage", plies=60)))
    painters = [ScreenPainter(Replay(_twin(pair, which))) for which in (0, 1)]
    last = painters[0].replay.last
    for number in range(0, last + 1, 6):
        for step in (0, 1, 2):
            moment = ScreenMoment(number=number, viewer=observer, fight_step=step, selected=Square("e8"))
            one, other = (painter.paint(moment, 120, 40) for painter in painters)
            assert one.lines == other.lines, one.write_text()
    opened = [painter.paint(ScreenMoment(number=last), 120, 40).write_text() for painter in painters]
    assert opened[0] != opened[1]


def _twin(pair, which):
    acts = tuple(ActEntry(seat=seat, action=action, ms=1.0) for seat, action in pair.acts(which))
    return Record(GameHeader(rules=pair.game.name, seed=pair.seed), acts, None)


# --- fights, graphs, the mouse --------------------------------------------------------------------


def test_a_fight_shows_both_pieces():
    screen = paint(US, 59, viewer="arbiter").write_text()
    assert re.search(r"✦  b7  beats  R3    blue's major takes red's miner on f2", screen)
    during = paint(US, 59, fight_step=2)
    assert signs_of(during, "f2")[0].strip() == "7✦3"
    before = paint(US, 59, fight_step=1)
    assert (signs_of(before, "f1")[0], signs_of(before, "f2")[0]) == ("b7◉", "R3'")


def test_the_mouse_finds_squares_moves_and_frames():
    screen = paint(US, 10)
    lines = screen.write_text().splitlines()
    column = lines[3].index("bF")
    assert screen.square_at(column, 3).place == "a10"
    y = next(y for y, line in enumerate(lines) if " 12 b4-b5" in line)
    assert screen.ply_at(lines[y].index("b4-b5"), y) == 23
    assert screen.ply_at(lines[y].index("b6-b5"), y) == 24
    y = len(lines) - 2
    assert screen.frame_at(lines[y].index("●"), y) == 10
    assert screen.frame_at(lines[y].index("●"), y - 2) == 10
    assert [screen.frame_at(x, y) for x in (0, 79)] == [None, None]


def test_graphs_follow_the_watched_game():
    screen = paint(watched_game(), 2).write_text()
    values = dict(re.findall(r"^ (lead ±10|\w+ seen|red eval) +[─▁-█]+ *[─▁-█]+ (\S.*)$", screen, re.MULTILINE))
    assert values == {"lead ±10": "red +4", "red seen": "20%", "blue seen": "0%", "red eval": "0"}


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        (0, ("─", "▔ ", " ─ ")),
        (0.5, ("▄", "▔▄", " ─▄")),
        (1, ("█", "▔█", " ─█")),
        (-0.6, ("▀", "▀ ", "▀─ ")),
        (-1, ("█", "█ ", "█─ ")),
        (0.01, ("▁", "▔▁", " ─▁")),
        (None, (" ", "  ", "   ")),
    ],
)
def test_bars_are_drawn_from_a_zero_line(value, rows):
    assert tuple(draw_from_zero(value, height) for height in (1, 2, 3)) == rows


def test_the_list_of_reports_shows_times_evaluations_notes_and_disagreements():
    acts = [replace(act, ms=1234.5, eval=3.0, note="sure of it") for act in US.acts]
    found = Record(US.header, tuple(acts), US.result)
    lines = paint(found, 10, (120, 40), shows_reports=True).write_text().splitlines()
    head = next(line for line in lines if line.endswith("ply move         s  eval"))
    row = next(line[head.index("ply") - 1 :] for line in lines if re.search(r"  10 \w+-\w+ ", line))
    assert re.fullmatch(r"  10 \w+-\w+ +1\.23 +\+3≠ sure of it", row)
    assert re.search(r"ply 9: red notes: sure of it", "\n".join(lines))
    as_red = paint(found, 10, (120, 40), shows_reports=True, viewer="red").write_text()
    assert "≠" not in as_red
    assert "+3" not in re.search(r"  10 \w+-\w+ .*", as_red)[0]


def test_the_list_of_reports_goes_with_the_game_and_finds_its_plies():
    painter = ScreenPainter(Replay(US))
    last = painter.replay.ply(painter.replay.last)
    for number, size in ((0, (80, 24)), (30, (80, 24)), (painter.replay.last, (120, 40)), (5, (300, 100))):
        screen = painter.paint(ScreenMoment(number=number, shows_reports=True), *size)
        assert max(1, painter.replay.ply(number)) in screen.moves.cells
        assert all(1 <= ply <= last for ply in screen.moves.cells)
        for ply, box in screen.moves.cells.items():
            assert screen.ply_at(box.x + 2, box.y) == ply


# --- looks ----------------------------------------------------------------------------------------


def test_without_colours_all_signs_are_the_same():
    painted, plain = (paint(US, 59, look=look) for look in (LOOKS["paper"], MONO))
    assert painted.write_text() == plain.write_text()
    assert "\x1b[38;" not in plain.write_ansi()
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted.write_ansi()) == "\n".join(
        "".join(segment.text for segment in line) for line in painted.lines
    )


# --- foreign texts --------------------------------------------------------------------------------

EVIL = (
    "[bold]x[/bold][/]",
    "[@click=app.leave]x[/]",
    "\x1b]0;x\x07\x1b[31m",
    "x" * 200,
    "\u202e\u200f\u2066x",
    "[red on blue",
    "e\u0301" * 100,
    "\U0001f600" * 50,
    "a\nb\tc\r",
    "$(x) {x} %s \\",
)


@pytest.mark.parametrize("text", EVIL)
def test_texts_of_strangers_are_escaped_and_cut(text):
    seats = {seat: PlayerName(text, program=text, version=text) for seat in ("red", "blue")}
    found = watched_game()
    acts = tuple(replace(act, note=text) for act in found.acts)
    evil = Record(replace(found.header, id=text, started=text, seats=seats), acts, None)
    screen = paint(evil, 1, selected=Square("a4")).write_text()
    assert all(sign.isprintable() or sign == "\n" for sign in screen)
    assert "? help" in screen
    assert re.search(r"^ 4> R9 ", screen, re.MULTILINE), "the board has not moved"
    shown_text = text[:8].encode("unicode_escape").decode() if not text.isprintable() else text[:8]
    assert shown_text[:6] in screen
