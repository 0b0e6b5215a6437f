"""Knowledge as a picture: the likelihood of ranks, where a rank can be, and when a rank became certain."""

from collections import Counter
from functools import cache

import pytest
from browser.readable import LOOKS, check_readable
from browser.test_viewer import GOLDEN, page_path, read_replay

from arbiter.games.ranks import RANKS, Trait
from arbiter.show.replay.squares import count_possible_ranks
from protocol.words import OPPONENT

pytestmark = pytest.mark.heavy
BARRAGE = next(path for path in GOLDEN if path.stem == "barrage")
CLICK = "document.querySelector('[data-place={}]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
CHIPS = "Object.fromEntries([...document.querySelectorAll('.belief li')].map((one) => [one.title, one.lastChild.textContent]))"
CERTAIN = """
[...document.querySelectorAll(".moves .move")].filter((move) => move.querySelector(".certain.OWNER")).map((move) => +move.dataset.frame)
"""


@cache
def count_ways(kinds, left):
    """Count the arrangements of the ranks that are left, pairs with counts, on pieces that have moved and run, or not."""
    return sum(count_with(kinds, left, rank) for rank, _ in left) if kinds else 1


def count_with(kinds, left, rank):
    """Count the arrangements in which the first piece has a rank."""
    (moved, ran), *others = kinds
    fits = RANKS[rank].has(Trait.RUNNER) if ran else not (moved and RANKS[rank].has(Trait.IMMOVABLE))
    fewer = tuple((one, count - (one == rank)) for one, count in left)
    return count_ways(tuple(map(tuple, others)), fewer) if fits and dict(left)[rank] else 0


def count_arrangements(pieces, left):
    """Count the arrangements of the ranks that are left on hidden pieces, by piece and rank.

    A piece is a square, and whether the piece there has moved and run.
    """
    left = tuple(sorted(left.items()))
    counts = {}
    for place, *kind in pieces:
        others = sorted(other for at, *other in pieces if at != place)
        ways = {rank: count_with([kind, *others], left, rank) for rank, _ in left}
        counts[place] = Counter({rank: count for rank, count in ways.items() if count})
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
        assert page.evaluate("document.querySelector('.board .share').textContent") == "13%"  # one of eight
    check_readable(page, LOOKS[:2])


def test_the_arbiter_sees_the_belief_next_to_the_truth(page, site):
    page.open_file(page_path(site, BARRAGE), "#0")
    replay = read_replay(BARRAGE)
    for piece in replay.view(0, "arbiter").pieces[:4]:
        page.run_script(CLICK.format(piece.place))
        true = page.evaluate("[...document.querySelectorAll('.belief .true')].map((one) => one.title)")
        assert true == [replay.labels[piece.seat][piece.rank]]


def list_certain(replay, number, viewer):
    """List the places of the pieces whose rank a viewer can be certain of."""
    view = replay.view(number, viewer)
    left = count_possible_ranks(view, replay.rules, OPPONENT[viewer])
    counts = count_arrangements(list_hidden(replay, number, viewer), left)
    certain = {place for place, count in counts.items() if len(count) == 1}
    return certain | {piece.place for piece in view.pieces if piece.seat != viewer and piece.rank}


@pytest.mark.parametrize("name", ["barrage", "duel"])
def test_moves_after_which_a_rank_is_certain_are_marked(page, site, name):
    game = next(path for path in GOLDEN if path.stem == name)
    replay = read_replay(game)
    for viewer in ("red", "blue"):
        frames = []
        known = list_certain(replay, 0, viewer)
        for number in range(1, len(replay)):
            now = list_certain(replay, number, viewer)
            action = replay.act(number).entry.action
            if now - {action.dst if place == action.src else place for place in known}:
                frames.append(number)
            known = now
        assert frames
        for seat in (viewer, "arbiter"):
            page.open_file(page_path(site, game), f"#0/{seat}")
            assert page.evaluate(CERTAIN.replace("OWNER", OPPONENT[viewer]).strip()) == frames
