"""The speed of a core, measured with other programs on the machine."""

import math

from arbiter.tournament.machine import measure_speed


def test_the_speed_is_a_plausible_number():
    speed = measure_speed()
    assert math.isfinite(speed)
    assert 0.01 < speed < 100
