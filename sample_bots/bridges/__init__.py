"""Bots that start another program and translate: programs written for other arenas play here unchanged."""

from typing import Final

from msgspec import Struct


class Bridge(Struct, frozen=True):
    """A bridge: what a command begins with to use it, the module that runs it, what it does, its options."""

    name: str
    module: str
    description: str
    options: tuple[str, ...] = ("--repair",)


BRIDGES: Final[dict[str, Bridge]] = {
    bridge.name: bridge
    for bridge in (
        Bridge("ucc-bridge", "sample_bots.bridges.ucc", "for programs of the UCC programming competition of 2012"),
        Bridge("infinibattle-bridge", "sample_bots.bridges.infinibattle", "for programs of the Infinibattle of 2023"),
    )
}
