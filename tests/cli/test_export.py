"""`arbiter export`: files that contain only what a viewer may know, and errors of one line."""

import json
import re
import xml.etree.ElementTree as ET
from io import BytesIO

import card_twins
import pytest
from cli.command_line import call, call_ok, call_refused
from packed_data import choose_texts, unpack
from PIL import Image
from recorded_twins import RecordedPlay, play_pair, start_pair
from show.report.sample_reports import GOLDEN, Page, replace_players
from twins import ARMIES, make_twins

from arbiter.record import GameHeader, read_record
from arbiter.show import export, pictures
from arbiter.show.text import plain
from protocol.words import Stop

GAME = "hunter~random~1"
HOSTILE = "</title><script>alert(1)</script>\x1b[31m"
KINDS = ("html", "svg", "png", "gif", "cast")
MOST_PAGE_BYTES = 60_000


def name_files(folder, kinds=KINDS):
    """Return options that write a file of each kind into a folder, and the paths of these files."""
    files = {kind: folder / f"game.{kind}" for kind in kinds}
    return [word for kind, path in files.items() for word in (f"--{kind}", path)], files


def test_a_game_of_results_is_exported(played, tmp_path):
    options, files = name_files(tmp_path, (*KINDS, "record"))
    shown = call_ok("export", played, GAME, *options, "--to", 9).splitlines()
    assert [line.split(": ")[0] for line in shown] == [str(path) for path in files.values()]
    title = ET.fromstring(files["svg"].read_text()).find("{http://www.w3.org/2000/svg}title").text
    assert title.startswith("hunter (red) against random (blue), duel")
    assert read_record(files["record"].read_bytes()).header.seats["red"].name == "hunter"
    for kind, start in {"png": b"\x89PNG", "gif": b"GIF89a"}.items():
        assert files[kind].read_bytes().startswith(start)


def test_a_file_can_be_written_to_stdout(played, tmp_path):
    call_ok("export", played, GAME, "--svg", tmp_path / "game.svg", "--at", 3)
    assert call_ok("export", played, GAME, "--svg", "-", "--at", 3) == (tmp_path / "game.svg").read_text()


def test_a_picture_shows_its_ply_and_an_animation_its_part(played, tmp_path):
    texts = [call_ok("export", played, GAME, "--svg", "-", *at) for at in ((), ("--at", "end"), ("--at", 0))]
    assert texts[0] == texts[1] != texts[2]
    assert texts[2].partition("</title>")[0].endswith("ply 0")
    ply = texts[0].partition("</title>")[0].split()[-1]
    for part, frames in ((("--to", 3), 4), (("--from", int(ply) - 1), 2), (("--from", 5, "--to", 6), 2)):
        content = call("export", played, GAME, "--gif", "-", *part).stdout_bytes
        assert Image.open(BytesIO(content)).n_frames == frames


def test_a_story_is_short_and_an_option_of_animations(played):
    animation = Image.open(BytesIO(call("export", played, GAME, "--gif", "-", "--story").stdout_bytes))
    total = 0
    for number in range(animation.n_frames):
        animation.seek(number)
        total += animation.info["duration"]
    assert 3000 < total <= 20_000


REFUSED = {
    "a story without animation": (["--svg", "x", "--story"], "add --gif FILE"),
    "a part of a story": (["--gif", "x", "--story", "--to", "3"], "leave out --from and --to"),
    "no file": ([], "name a file to write: --html FILE"),
    "twice": (["--svg", "x", "--png", "x"], "x: is named twice; name another file"),
    "no such ply": (["--svg", "x", "--at", "999"], "ply 999: the game has plies 0 to "),
    "no ply": (["--svg", "x", "--at", "soon"], "'soon' is neither the number of a ply nor 'end'"),
    "no part": (["--gif", "x", "--from", "7", "--to", "3"], "--to 3: is before --from 7"),
    "a part after the end": (["--gif", "x", "--from", "999"], "ply 999: the game has plies 0 to "),
    "no seat": (["--svg", "x", "--as", "green"], "'green' is not one of "),
    "secrets": (["--record", "x", "--as", "red"], "a record contains the whole game; leave out --as red"),
    "no folder": (["--svg", "/dev/null/x"], "/dev/null/x: cannot be written: File exists"),
}


@pytest.mark.parametrize(("words", "error"), REFUSED.values(), ids=REFUSED)
def test_wrong_words_are_refused(played, tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    assert error in call_refused("export", played, GAME, *words)
    assert not list(tmp_path.iterdir())


def test_a_game_is_needed_and_must_exist(played):
    assert "there is no game 'nobody'" in call_refused("export", played, "nobody", "--svg", "x")
    assert "name a game" in call_refused("export", played, "--svg", "x")


def test_the_source_is_not_overwritten(club):
    results = club.parent / "results" / "club.sqlite"
    before = results.read_bytes()
    for source, target in ((club, club), (club, results), (results, results)):
        assert "is the source of the game" in call_refused("export", source, GAME, "--svg", target)
    assert results.read_bytes() == before


def test_a_long_game_is_no_animation(played, monkeypatch):
    monkeypatch.setattr(export, "MOST_GIF_FRAMES", 5)
    assert "choose a part of the game with --from and --to" in call_refused("export", played, GAME, "--gif", "x")


def test_without_pillow_the_error_names_it(played, monkeypatch):
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    assert "--gif: needs Pillow; install it with" in call_refused("export", played, GAME, "--gif", "x")
    call_ok("export", played, GAME, "--svg", "-")


def test_a_record_that_breaks_the_rules_is_refused(tmp_path):
    lines = GOLDEN[0].read_bytes().splitlines()
    (tmp_path / "game.jsonl").write_bytes(b"\n".join([*lines[:5], lines[4]]))  # the same act once more
    assert "act 5 cannot be shown" in call_refused("export", tmp_path / "game.jsonl", "--svg", "x")


def test_names_of_bots_are_escaped(tmp_path):
    (tmp_path / "game.jsonl").write_bytes(replace_players(GOLDEN[0].read_bytes(), HOSTILE, "mine", HOSTILE))
    options, files = name_files(tmp_path, ("html", "svg", "cast"))
    call_ok("export", tmp_path / "game.jsonl", *options)
    page = Page(files["html"].read_bytes())
    assert plain(HOSTILE) in page.text
    assert [tag for tag, _ in page.elements].count("script") == 3  # the data, the program and its loader
    header, *events = map(json.loads, files["cast"].read_text().splitlines())
    assert plain(HOSTILE) in header["title"]
    assert not [text for _, _, text in events if re.search(r"\x1b(?!\[[\d;]*[mHJ]|\[\?25[lh])|\x1b\[31m", text)]
    drawing = ET.fromstring(files["svg"].read_text())
    assert plain(HOSTILE) in drawing.find("{http://www.w3.org/2000/svg}title").text
    assert not list(drawing.iter("{http://www.w3.org/2000/svg}script"))


@pytest.mark.parametrize("path", GOLDEN[:2], ids=lambda path: path.stem)
def test_a_page_is_one_small_file_without_links(tmp_path, path):
    call_ok("export", path, "--html", tmp_path / "game.html")
    content = (tmp_path / "game.html").read_bytes()
    assert len(content) < MOST_PAGE_BYTES
    page = Page(content)
    assert [link.partition(",")[0] for link in page.links] == ["data:image/svg+xml"]
    (policy,) = (one["content"] for tag, one in page.elements if tag == "meta" and "http-equiv" in one)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "'self'" not in policy


def read_viewer_data(content):
    """Return the viewer data of an exported page."""
    found = re.search(rb'id="viewer-data">([^<]+)<', content)
    return unpack(found[1])


def test_a_page_contains_only_the_seat_that_was_asked_for(tmp_path):
    for viewer, seats in (("red", ["red"]), ("spectator", ["spectator"]), ("arbiter", None)):
        call_ok("export", GOLDEN[0], "--html", tmp_path / "game.html", "--as", viewer, "--at", 3)
        content = (tmp_path / "game.html").read_bytes()
        data = read_viewer_data(content)
        assert data["viewers"] == (seats or ["arbiter", "red", "blue", "spectator"])
        assert b'data-start="3"' in content
        setup = choose_texts(data["frames"][0], data["viewers"], viewer)
        own = {key[1:]: text for key, text in setup.items() if key.startswith("@") and text[0] == "b"}
        assert own
        assert (set(own.values()) == {"b?"}) is (viewer != "arbiter")


def export_all(folder, written, *options, kinds=KINDS):
    """Export a record in all kinds of files; return their contents."""
    folder.mkdir()
    (folder / "game.jsonl").write_bytes(written)
    words, files = name_files(folder, kinds)
    call_ok("export", folder / "game.jsonl", *words, *options)
    return {kind: path.read_bytes() for kind, path in files.items()}


@pytest.mark.parametrize(("army", "seed", "observer"), [("duel", 1, "red"), ("us rescue", 55, "red")])
@pytest.mark.slow(keep=1)
def test_games_that_differ_in_hidden_ranks_are_exported_alike(tmp_path, army, seed, observer):
    both = play_pair(make_twins(seed, observer, **ARMIES[army]), ARMIES[army])
    one, other = (
        export_all(tmp_path / str(number), play.written, "--as", observer, "--from", 60, "--to", 70)
        for number, play in enumerate(both)
    )
    for kind in one:
        assert one[kind] == other[kind], kind
    assert "?" in one["svg"].decode()
    whole = [call_ok("export", tmp_path / str(number) / "game.jsonl", "--svg", "-") for number in (0, 1)]
    assert whole[0] != whole[1]


def test_games_that_differ_in_hidden_cards_are_exported_alike(tmp_path):
    pair = card_twins.make_twins(3, "red")
    shown = []
    for number, game in enumerate(pair.games):
        play = game.start()
        header = GameHeader(rules="card-game", seed=3, first=play.first, decks=game.decks)
        written = RecordedPlay(play, header, ["blue"])
        for seat, action in pair.actions:
            written.act(seat, action)
        shown.append(export_all(tmp_path / str(number), written.written, "--as", "red"))
    assert shown[0] == shown[1]


def test_a_declined_rescue_is_not_exported(tmp_path):
    """The opponent cannot notice it, so with and without it a game looks the same."""
    army = ARMIES["us rescue"]
    pair = make_twins(13, "blue", **army)
    play, _ = start_pair(pair, army, ["red"])
    for seat, action in pair.actions[0]:
        before = play.written
        play.act(seat, action)
        if isinstance(action, Stop):
            break
    assert seat == "red"
    for viewer, kinds, alike in (("blue", KINDS, True), ("red", ("cast",), False)):
        one, other = (
            export_all(tmp_path / f"{viewer}{number}", written, "--as", viewer, "--from", 70, kinds=kinds)
            for number, written in enumerate((before, play.written))
        )
        assert (one == other) is alike
