"""What a game's clock allows, as an operator writes it and a record keeps it."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Seconds = Annotated[float, Meta(ge=0, le=86_400)]


class TimeSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds for start-up, setup, bank, increment and one move; milliseconds that are forgiven.

    `move_s` None means no cap on one move; start-up is off the clock.  By the clock "cpu" an answer is charged what
    the program used of the processor and may take `wall_factor` times its limit on the wall.  Without `pondering`
    a program is stopped while it is not asked.
    """

    start_s: Seconds = 10.0
    setup_s: Seconds = 30.0
    bank_s: Seconds = 60.0
    increment_s: Seconds = 0.1
    move_s: Seconds | None = None
    margin_ms: Annotated[float, Meta(ge=0, le=60_000)] = 50.0
    clock: Literal["wall", "cpu"] = "wall"
    wall_factor: Annotated[float, Meta(ge=1, le=1000)] = 5.0
    pondering: bool = True
