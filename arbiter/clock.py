"""The time settings of a game, the arithmetic of its clock (banks, increments and limits), and times as text."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, convert
from msgspec.structs import replace

from protocol.messages import ClockState, TimeControl
from protocol.words import SEATS, Phase, Seat

_MOST_S: Final = 86_400
Seconds = Annotated[float, Meta(ge=0, le=_MOST_S)]
MS_PER_S: Final = 1000.0
MS_OF_HOUR: Final = 3_600_000
TENTHS: Final = 10  # parts of a millisecond: of the times that bots are sent
HUNDREDTHS: Final = 100  # of the times that are charged
THOUSANDTHS: Final = 1000  # of the times in a log
_MINUTES: Final = 60  # of an hour
_MOST_MS: Final = 10_000  # limits up to this one are written in milliseconds


class TimeSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Time settings as an operator writes them and a record holds them."""

    start_s: Seconds = 10.0
    """Time to start, before the clock runs."""
    setup_s: Seconds = 30.0
    """Time for the deployment, besides the bank."""
    bank_s: Seconds = 60.0
    increment_s: Seconds = 0.1
    """Time added to the bank after each turn."""
    move_s: Seconds | None = None
    """Limit of one move.  Default: only the bank."""
    margin_ms: Annotated[float, Meta(ge=0, le=60_000)] = 50.0
    """Milliseconds over the limit that are forgiven."""
    clock: Literal["wall", "cpu"] = "wall"
    """Time that an answer is charged: elapsed time, or the processor time that the program used."""
    wall_factor: Annotated[float, Meta(ge=1, le=1000)] = 5.0
    """With the clock "cpu", an answer may take this many times its limit in elapsed time."""
    pondering: bool = True
    """If False, a program is stopped while it is not asked."""

    def for_speed(self, speed: float) -> "TimeSettings":
        """Return the settings for a machine of another speed: at twice the speed, half the time to think.

        The time to start and the margin stay as they are: they depend less on the speed of the processor.
        """
        thinking = {"setup_s": self.setup_s, "bank_s": self.bank_s, "increment_s": self.increment_s}
        if self.move_s is not None:
            thinking["move_s"] = self.move_s
        return replace(self, **{key: min(_MOST_S, round(seconds / speed, 3)) for key, seconds in thinking.items()})


class NetworkTimes(Struct, frozen=True, kw_only=True):
    """The times of one program in one game, in milliseconds."""

    raw_ms: float = 0.0
    """Sum from each question to its answer, as measured."""
    charged_ms: float = 0.0
    """Sum of what the clock was charged."""
    compensated_ms: float = 0.0
    """Sum of what was not charged because of the way over the network."""
    round_trip_ms: float = 0.0
    """A low percentile of the latest round trips, at the end of the game."""
    reconnects: int = 0
    """Number of times that the connection was lost and made again."""


class Clock:
    """The clock of one game.  It does not measure time: it is given how long each answer took."""

    def __init__(self, settings: TimeSettings) -> None:
        self.settings = settings
        self.bank_ms: dict[Seat, float] = dict.fromkeys(SEATS, settings.bank_s * MS_PER_S)
        self._last_ms: dict[Seat, float] = dict.fromkeys(SEATS, 0.0)
        self._move_ms = None if settings.move_s is None else settings.move_s * MS_PER_S
        self._setup_ms = settings.setup_s * MS_PER_S
        self._increment_ms = settings.increment_s * MS_PER_S

    def limit_ms(self, seat: Seat, phase: Phase) -> float:
        """Return how long the next answer of a seat may take, including the margin."""
        if phase == "setup":
            limit = self._setup_ms
        elif self._move_ms is None:
            limit = self.bank_ms[seat]
        else:
            limit = min(self.bank_ms[seat], self._move_ms)
        return limit + self.settings.margin_ms

    def charge(self, seat: Seat, phase: Phase, ms: float) -> None:
        """Charge an answer that was in time; one in phase `setup` is not taken from the bank."""
        self._last_ms[seat] = ms
        if phase != "setup":
            left_ms = self.bank_ms[seat] - ms
            self.bank_ms[seat] = left_ms if left_ms > 0 else 0.0

    def finish_turn(self, seat: Seat) -> None:
        """Add the increment at the end of a turn."""
        self.bank_ms[seat] += self._increment_ms

    def state(self, seat: Seat, phase: Phase) -> ClockState:
        """Return the state of the clock that is sent to a seat with a question."""
        return ClockState(
            round_ms(self.bank_ms["red"], TENTHS),
            round_ms(self.bank_ms["blue"], TENTHS),
            self._setup_ms if phase == "setup" else self._move_ms,
            round_ms(self._last_ms[seat], TENTHS),
        )


def round_ms(ms: float, parts: int) -> float:
    """Round a time, which is not negative, to parts of a millisecond; half a part is rounded up.

    `round` takes three times as long, because it writes the number as text.
    """
    return int(ms * parts + 0.5) / parts


def time_control(settings: TimeSettings) -> TimeControl:
    """Return the settings that bots are sent in `start`."""
    return convert(settings, TimeControl, from_attributes=True)


def write_clock(ms: float) -> str:
    """Write the time left on a clock: `1:02.3`, from an hour on `1:00:02`."""
    if ms >= MS_OF_HOUR:
        return write_duration(ms // 1000)
    seconds, rest = divmod(int(ms), 1000)
    return f"{seconds // 60}:{seconds % 60:02}.{rest // 100}"


def write_duration(seconds: float) -> str:
    """Write whole seconds: `1:02`, from an hour on `1:00:02`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < _MINUTES else f"{minutes // _MINUTES}:{minutes % _MINUTES:02}:{rest:02}"


def write_limit(ms: float) -> str:
    """Write a limit: `500 ms`, from ten seconds on as on a clock."""
    return f"{ms:.0f} ms" if ms < _MOST_MS else write_clock(ms)
