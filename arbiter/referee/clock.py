"""A game's clock: two banks with increments, a cap on one answer, a setup allowance, a margin forgiven.

It is told how long an answer took and never measures anything itself.
"""

from typing import Final

from arbiter.time_control import TimeSettings
from protocol.messages import ClockState, TimeControl
from protocol.words import SEATS, Phase, Seat

_MS: Final = 1000.0


class Clock:
    """The clock of one game; all amounts inside are milliseconds."""

    def __init__(self, settings: TimeSettings) -> None:
        self.settings = settings
        self._bank: dict[Seat, float] = dict.fromkeys(SEATS, settings.bank_s * _MS)
        self._last: dict[Seat, float] = dict.fromkeys(SEATS, 0.0)
        self._move_ms = None if settings.move_s is None else settings.move_s * _MS
        self._setup_ms = settings.setup_s * _MS

    def limit_ms(self, seat: Seat, phase: Phase) -> float:
        """Return what the seat's next answer may take before it is late, the margin included."""
        return self._allowed(seat, phase) + self.settings.margin_ms

    def _allowed(self, seat: Seat, phase: Phase) -> float:
        if phase == "setup":
            return self._setup_ms
        bank = self._bank[seat]
        return bank if self._move_ms is None else min(bank, self._move_ms)

    def charge(self, seat: Seat, phase: Phase, ms: float) -> None:
        """Charge an answer in time; the setup has its own allowance and costs no bank."""
        self._last[seat] = ms
        if phase != "setup":
            self._bank[seat] = max(0.0, self._bank[seat] - ms)

    def finish_turn(self, seat: Seat) -> None:
        """Credit the increment of a turn that has ended."""
        self._bank[seat] += self.settings.increment_s * _MS

    def state(self, seat: Seat, phase: Phase) -> ClockState:
        """Tell a seat what it is told with a question."""
        return ClockState(
            red_ms=round(self._bank["red"], 1),
            blue_ms=round(self._bank["blue"], 1),
            move_ms=self._setup_ms if phase == "setup" else self._move_ms,
            last_ms=round(self._last[seat], 1),
        )


def time_control(settings: TimeSettings) -> TimeControl:
    """Describe the settings as a bot is told them in `start`."""
    return TimeControl(
        setup_s=settings.setup_s,
        bank_s=settings.bank_s,
        increment_s=settings.increment_s,
        move_s=settings.move_s,
        margin_ms=settings.margin_ms,
    )
