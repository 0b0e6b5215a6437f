"""The time that the way over the network takes, which is not charged, within limits that a false one cannot exceed."""

from typing import Final

from arbiter.clock import MS_PER_S, NetworkTimes, TimeSettings

MOST_MS: Final = 250.0  # for one answer
SHARE: Final = 0.2  # of the thinking time: a program that answers pings late gains at most this


class Compensation:
    """The time that is not charged in one game, for the way over the network."""

    def __init__(self, settings: TimeSettings) -> None:
        self._left_ms = SHARE * settings.bank_s * MS_PER_S
        self._more_ms = SHARE * settings.increment_s * MS_PER_S
        self._raw_ms = self._charged_ms = self._compensated_ms = 0.0
        self.last: tuple[float, float] | None = None
        """Time charged and time compensated for the last answer."""

    def allow(self, round_trip_ms: float) -> float:
        """Return the most that is not charged for the next answer."""
        return max(0.0, min(round_trip_ms, MOST_MS, self._left_ms))

    def note(self, raw_ms: float, charged_ms: float, compensated_ms: float) -> None:
        """Note an answer."""
        self._left_ms += self._more_ms - compensated_ms
        self._raw_ms += raw_ms
        self._charged_ms += charged_ms
        self._compensated_ms += compensated_ms
        self.last = round(charged_ms, 2), round(compensated_ms, 2)

    def summarise(self, round_trip_ms: float, reconnects: int) -> NetworkTimes:
        """Return the times so far."""
        return NetworkTimes(
            raw_ms=round(self._raw_ms, 1),
            charged_ms=round(self._charged_ms, 1),
            compensated_ms=round(self._compensated_ms, 1),
            round_trip_ms=round(round_trip_ms, 1),
            reconnects=reconnects,
        )
