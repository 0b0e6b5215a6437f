"""Evaluations and stderr next to their plies: for their own player and the arbiter, never for the opponent."""

import pytest
from msgspec.structs import replace
from show.sample_record import record

from arbiter.show.replay.disagreements import find_disagreements
from arbiter.show.replay.frame import get_evaluation
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.plain_text import find_column, plot_evaluations, write_frame, write_plots
from arbiter.show.replay.replay import Replay
from arbiter.show.report.viewer_data import make_viewer_data
from arbiter.show.text import write_evaluation
from arbiter.transcript import GameLog, StderrMark
from protocol.words import SEATS

MOVES = "a4-a5 c7-c8 a5-a4 c8-c7"


def rated(*values, moves=MOVES):
    """Make a record whose moves have evaluations; None is none."""
    plain = record(moves)
    start = len(plain.acts) - len(moves.split())
    acts = [
        act if at < start else replace(act, eval=values[(at - start) % len(values)])
        for at, act in enumerate(plain.acts)
    ]
    return replace(plain, acts=tuple(acts))


@pytest.mark.parametrize(
    ("values", "plots"),
    [
        ((0,), {"red": "▅▅▅▅", "blue": " ▅▅▅"}),
        ((10, -10), {"red": "████", "blue": " ▁▁▁"}),
        ((10, None), {"red": "████"}),
        ((5, 3, -5, 1.5), {"red": "██▁▁", "blue": " ██▆"}),
        ((None,), {}),
    ],
)
def test_evaluations_are_plotted_on_the_scale_of_their_seat(values, plots):
    assert plot_evaluations(Replay(rated(*values)), "arbiter", 60) == plots


@pytest.mark.parametrize("width", [1, 2, 3, 60])
def test_a_plot_is_not_wider_than_asked(width):
    for line in plot_evaluations(Replay(rated(1, 2)), "arbiter", width).values():
        assert len(line) == min(width, 4)


def test_each_ply_has_a_column():
    for last in range(1, 200):
        columns = [find_column(ply, 60, last) for ply in range(last + 1)]
        assert columns == sorted(columns)
        assert (columns[0], columns[-1]) == (0, min(60, last) - 1)


SEES = {"arbiter": {"red", "blue"}, "red": {"red"}, "blue": {"blue"}, "spectator": set()}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_only_the_own_player_and_the_arbiter_see_an_evaluation(viewer):
    game = rated(7.5, -3)
    assert plot_evaluations(Replay(game), viewer, 60).keys() == SEES[viewer]
    replay = Replay(game)
    seen = {}
    for number in range(len(replay)):
        frame = replay.frame(number, viewer)
        seen |= frame.evals
        for seat, value in frame.evals.items():
            assert f"{seat} evaluates: {write_evaluation(value)}" in write_frame(frame)
    assert seen == {seat: {"red": 7.5, "blue": -3}[seat] for seat in SEES[viewer]}
    assert all(get_evaluation(act, viewer).keys() <= SEES[viewer] for act in game.acts)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ((5, 5), [2, 3, 4]),
        ((-5, -2), [2, 3, 4]),
        ((5, -5), []),
        ((5, 0), []),
        ((10, 3, -10, 2), [2]),
        ((100, 1, 0.5, 1), [2]),  # each bot has its own unit, in which a tenth of the largest is little
        ((None, 5), []),
        ((5, None, -5, 3), []),
        ((None,), []),
    ],
)
def test_bots_disagree_if_both_believe_that_they_are_ahead_or_behind(values, found):
    replay = Replay(rated(*values))
    assert find_disagreements(replay, replay.last) == found
    assert find_disagreements(replay, 1) == []
    assert make_viewer_data(replay)["disagreements"] == found
    for viewer in SEATS:
        assert make_viewer_data(replay, (viewer,))["disagreements"] == []


def test_evaluations_are_printed_above_the_frames():
    assert write_plots(rated(10, -10), "arbiter") == ["evaluation of red   ████", "evaluation of blue   ▁▁▁"]


LOG = GameLog(
    stderr={"red": "started\nsetup\none\nstill one\n\x1b[2J three\n", "blue": "two\nlate"},
    stderr_marks={
        "red": tuple(StderrMark(line, line, ask) for line, ask in ((0, 0), (1, 1), (2, 2), (4, 3))),
        "blue": (StderrMark(0, 1, 2), StderrMark(1, 5, 9)),
    },
)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_lines_of_stderr_are_shown_with_the_act_that_they_belong_to(viewer):
    replay = Replay(record(MOVES), log=LOG)
    frames = [replay.frame(number, viewer).stderr for number in range(len(replay))]
    assert [frame.get("red", ()) for frame in frames] == (
        [("started",), ("setup",), (), ("one", "still one"), ("\\x1b[2J three",)] if "red" in SEES[viewer] else [()] * 5
    )
    assert [frame.get("blue", ()) for frame in frames] == (
        [(), (), (), (), ("two", "late")] if "blue" in SEES[viewer] else [()] * 5
    )


def test_many_lines_of_stderr_are_cut():
    log = GameLog(stderr={"red": "x\n" * 20}, stderr_marks={"red": (StderrMark(0, 0, 1),)})
    text = write_frame(Replay(record(MOVES), log=log).frame(1, "red"))
    assert text.count("red stderr: x") == 8
    assert "red stderr: ... 12 lines before" in text
