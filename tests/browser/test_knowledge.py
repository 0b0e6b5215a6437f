"""Knowledge as a picture: the likelihood of ranks, where a rank can be, and when a rank became certain."""

from collections import Counter

import pytest
from browser.readable import LOOKS, check_readable
from browser.test_viewer import GOLDEN, page_path, read_replay

from arbiter.games.ranks import RANKS, Trait
from arbiter.show.replay.squares import count_possible_ranks
from protocol.words import OPPONENT

BARRAGE = next(path for path in GOLDEN if path.stem == "barrage")
CLICK = "document.querySelector('[data-place={}]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
CHIPS = (
    "Object.fromEntries([...document.querySelectorAll('.belief li')].map((one) => [one.title, one.innerText.trim()]))"
)
CERTAIN = """
[...document.querySelectorAll(".moves .move")].filter((move) => move.querySelector(".certain.OWNER")).map((move) => +move.dataset.frame)
"""


def count_arrangements(pieces, left):
    """Count the arrangements of the ranks that are left on hidden pieces, by piece and rank.

    A piece is a square, and whether the piece there has moved and run.
    """
    counts = {place: Counter() for place, *_ in pieces}
    arranged = []

    def place_next(number):
        if number == len(pieces):
            for (place, *_), rank in zip(pieces, arranged, strict=True):
                counts[place][rank] += 1
            return
        _, moved, ran = pieces[number]
        for rank in [rank for rank, count in left.items() if count]:
            if RANKS[rank].has(Trait.RUNNER) if ran else not (moved and RANKS[rank].has(Trait.IMMOVABLE)):
                left[rank] -= 1
                arranged.append(rank)
                place_next(number + 1)
                arranged.pop()
                left[rank] += 1

    place_next(0)
    return counts


def list_hidden(replay, number, viewer):
    """List the hidden pieces of a viewer's opponent."""
    ran = replay.runner_places(number)
    return [
        (piece.place, piece.moved, piece.place in ran)
        for piece in replay.view(number, viewer).pieces
        if piece.seat != viewer and piece.rank is None
    ]


@pytest.mark.parametrize("viewer", ["red", "blue"])
def test_the_likelihood_is_the_share_of_all_arrangements(page, site, viewer):
    replay = read_replay(BARRAGE)
    foe = OPPONENT[viewer]
    for number in (0, replay.last // 2, replay.last):
        hidden = list_hidden(replay, number, viewer)
        left = count_possible_ranks(replay.view(number, viewer), replay.rules, foe)
        counts = count_arrangements(hidden, left)
        page.open_file(page_path(site, BARRAGE), f"#{replay.ply(number)}/{viewer}")
        for place, *_ in hidden:
            page.run_script(CLICK.format(place))
            total = counts[place].total()
            shown = page.evaluate(CHIPS)
            assert shown.keys() == {replay.labels[foe][rank] for rank in counts[place]}
            for rank, count in counts[place].items():
                assert abs(float(shown[replay.labels[foe][rank]].rstrip(" %")) - 100 * count / total) <= 0.51


def test_the_board_shows_where_a_rank_can_be(page, site):
    replay = read_replay(BARRAGE)
    for viewer, believers in (("red", ["red"]), ("arbiter", ["red", "blue"]), ("spectator", ["red", "blue"])):
        page.open_file(page_path(site, BARRAGE), f"#0/{viewer}")
        page.run_script(
            "const list = document.querySelector('.wanted select'); list.value = 'marshal'; "
            "list.dispatchEvent(new Event('change'))"
        )
        count = sum(len(list_hidden(replay, 0, one)) for one in believers)
        assert page.evaluate("document.querySelectorAll('.board .tint').length") == count
        assert page.evaluate("document.querySelector('.board .share').textContent") == f"{round(100 / 8)}%"
    check_readable(page, LOOKS[:2])


def test_the_arbiter_sees_the_belief_next_to_the_truth(page, site):
    page.open_file(page_path(site, BARRAGE), "#0")
    replay = read_replay(BARRAGE)
    for piece in replay.view(0, "arbiter").pieces[:4]:
        page.run_script(CLICK.format(piece.place))
        true = page.evaluate("[...document.querySelectorAll('.belief .true')].map((one) => one.title)")
        assert true == [replay.labels[piece.seat][piece.rank]]


@pytest.mark.parametrize("name", ["barrage", "infiltrator"])
def test_moves_after_which_a_rank_is_certain_are_marked(page, site, name):
    game = next(path for path in GOLDEN if path.stem == name)
    replay = read_replay(game)
    frames = {}
    for viewer in ("red", "blue"):
        known = set()
        for number in range(len(replay)):
            view = replay.view(number, viewer)
            ran = replay.runner_places(number)
            now = set()
            for piece in view.pieces:
                if piece.seat != viewer:
                    possible = count_possible_ranks(
                        view, replay.rules, piece.seat, moved=piece.moved, ran=piece.place in ran
                    )
                    if piece.rank or len(possible) == 1:
                        now.add(piece.place)
            act = replay.act(number)
            action = act and act.entry.action
            moved = {action.dst if place == action.src else place for place in known} if action else known
            if number and now - moved:
                frames.setdefault(viewer, []).append(number)
            known = now
    assert frames
    for viewer, found in frames.items():
        for seat in (viewer, "arbiter"):
            page.open_file(page_path(site, game), f"#0/{seat}")
            assert page.evaluate(CERTAIN.replace("OWNER", OPPONENT[viewer]).strip()) == found
