"""The arithmetic of the clock: charges, increments, banks and limits."""

import pytest

from arbiter.clock import Clock, TimeSettings, time_control

PLAIN = TimeSettings(setup_s=30, bank_s=60, increment_s=0, margin_ms=50)
INCREMENT = TimeSettings(setup_s=30, bank_s=60, increment_s=2, margin_ms=50)
CAPPED = TimeSettings(setup_s=30, bank_s=60, increment_s=2, move_s=5, margin_ms=0)
NO_BANK = TimeSettings(setup_s=0, bank_s=0, increment_s=1, margin_ms=10)

# Settings, acts as (phase, ms), bank, limit of the next turn, limit of the setup phase.
TABLE = [
    (PLAIN, [], 60_000, 60_050, 30_050),
    (PLAIN, [("setup", 29_000)], 60_000, 60_050, 30_050),
    (PLAIN, [("turn", 1.5)], 59_998.5, 60_048.5, 30_050),
    (PLAIN, [("turn", 60_040)], 0, 50, 30_050),
    (PLAIN, [("rage", 10_000), ("turn", 10_000)], 40_000, 40_050, 30_050),
    (INCREMENT, [("turn", 1_000)], 61_000, 61_050, 30_050),
    (INCREMENT, [("turn", 60_050)], 2_000, 2_050, 30_050),
    (INCREMENT, [("rescue", 1_000), ("turn", 1_000)], 60_000, 60_050, 30_050),
    (CAPPED, [], 60_000, 5_000, 30_000),
    (CAPPED, [("turn", 5_000)] * 19, 3_000, 3_000, 30_000),
    (NO_BANK, [], 0, 10, 10),
    (NO_BANK, [("turn", 10)], 1_000, 1_010, 10),
]


@pytest.mark.parametrize(("settings", "acts", "left", "turn", "setup"), TABLE)
def test_charges_banks_and_limits(settings, acts, left, turn, setup):
    clock = Clock(settings)
    for phase, ms in acts:
        clock.charge("red", phase, ms)
        if phase == "turn":
            clock.finish_turn("red")
    state = clock.state("red", "turn")
    assert state.red_ms == pytest.approx(left)
    assert state.blue_ms == settings.bank_s * 1000
    assert clock.limit_ms("red", "turn") == pytest.approx(turn)
    assert clock.limit_ms("red", "setup") == pytest.approx(setup)
    assert state.last_ms == (acts[-1][1] if acts else 0)
    assert clock.state("blue", "turn").last_ms == 0


def test_the_clock_state_has_the_limit_of_one_move():
    assert Clock(PLAIN).state("red", "turn").move_ms is None
    assert Clock(CAPPED).state("red", "turn").move_ms == 5_000
    assert Clock(CAPPED).state("red", "setup").move_ms == 30_000


# Settings, speed of the machine, and the settings for that machine.
SCALED = [
    (CAPPED, 1, CAPPED),
    (CAPPED, 2, TimeSettings(setup_s=15, bank_s=30, increment_s=1, move_s=2.5, margin_ms=0)),
    (CAPPED, 0.5, TimeSettings(setup_s=60, bank_s=120, increment_s=4, move_s=10, margin_ms=0)),
    (PLAIN, 3, TimeSettings(setup_s=10, bank_s=20, increment_s=0, margin_ms=50)),
    (TimeSettings(bank_s=1, increment_s=0.1), 0.7, TimeSettings(setup_s=42.857, bank_s=1.429, increment_s=0.143)),
    (TimeSettings(setup_s=86_400, bank_s=50_000), 0.5, TimeSettings(setup_s=86_400, bank_s=86_400, increment_s=0.2)),
    (
        TimeSettings(start_s=5, clock="cpu"),
        4,
        TimeSettings(start_s=5, setup_s=7.5, bank_s=15, increment_s=0.025, clock="cpu"),
    ),
]


@pytest.mark.parametrize(("settings", "speed", "expected"), SCALED)
def test_a_faster_machine_has_less_time_to_think(settings, speed, expected):
    assert settings.for_speed(speed) == expected


def test_the_time_control_is_in_seconds():
    sent = time_control(CAPPED)
    assert (sent.setup_s, sent.bank_s, sent.increment_s, sent.move_s, sent.margin_ms) == (30, 60, 2, 5, 0)
