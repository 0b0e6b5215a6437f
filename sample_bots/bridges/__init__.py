"""Bots that start another program and translate, so that programs of other arenas play here unchanged."""

from typing import Final

from msgspec import Struct


class Bridge(Struct, frozen=True):
    """A bridge that comes with the arbiter."""

    name: str
    """The first word of a command that uses it."""
    module: str
    """The module that runs it."""
    description: str
    options: tuple[str, ...] = ("--repair",)


BRIDGES: Final[dict[str, Bridge]] = {
    bridge.name: bridge
    for bridge in (
        Bridge("ucc-bridge", "sample_bots.bridges.ucc", "for programs of the UCC programming competition of 2012"),
        Bridge("infinibattle-bridge", "sample_bots.bridges.infinibattle", "for programs of the Infinibattle of 2023"),
    )
}
