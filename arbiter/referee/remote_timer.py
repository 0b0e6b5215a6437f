"""The timer of a remote program: the way over the network is not charged, as far as limits allow."""

from typing import cast

from arbiter.clock import MS_PER_S, TimeSettings
from arbiter.referee.player_link import PlayerLink
from arbiter.referee.timer import Answer, LagMonitor, MoveTimer, TimeExceeded, make_too_slow
from arbiter.remote.network_link import NetworkLink
from protocol.reasons import TooLate


class RemoteTimer(MoveTimer):
    """The timer of games in which a remote program plays; it measures elapsed time only."""

    def __init__(self, settings: TimeSettings, monitor: LagMonitor) -> None:
        super().__init__(settings, monitor)
        self.charges_cpu = False
        self.wait = self._wait_on_clock

    async def _wait_on_clock(self, link: PlayerLink, limit_ms: float, asked: float, used_ms: float = 0.0) -> Answer:
        """Do the same, and note the times for the author.  Raises TimeExceeded."""
        answer = await self.wait_by_wall(link, limit_ms, asked, used_ms)
        raw_ms = (answer.at - asked) * MS_PER_S
        cast("NetworkLink", link).compensation.note(raw_ms, answer.ms, self._compensated_ms)
        return answer

    async def wait_by_wall(self, link: PlayerLink, limit_ms: float, asked: float, _used_ms: float = 0.0) -> Answer:
        """Wait for a line; the clock stops when it arrives at this machine.

        The clock runs while the connection is lost.  Raises TimeExceeded.
        """
        remote = cast("NetworkLink", link)
        allowed_ms = remote.allow_ms()
        end = asked + (limit_ms + allowed_ms) / MS_PER_S
        line = await remote.reader.line_before(end)
        if line is None:  # it may be at the gateway, which cannot report its own stall before the end of that
            await remote.hub.wait_for_gateway()
            line = await remote.reader.line_before(end)
        elapsed_ms = ((self._now() if line is None else remote.reader.arrived_at) - asked) * MS_PER_S
        stalled_ms = self._stalled_ms(asked, elapsed_ms) if elapsed_ms > limit_ms else 0.0
        if line is None and stalled_ms:
            line = await remote.reader.line_before(end + stalled_ms / MS_PER_S)
            elapsed_ms = ((self._now() if line is None else remote.reader.arrived_at) - asked) * MS_PER_S
        self._compensated_ms = compensated_ms = min(allowed_ms, max(0.0, elapsed_ms - stalled_ms))
        charged_ms = max(0.0, elapsed_ms - stalled_ms - compensated_ms)
        if line is None or charged_ms > limit_ms:
            error = make_too_slow(limit_ms, line)
            if line is None and not remote.hub.is_connected(remote.bot):
                error = TimeExceeded(
                    lambda seat: TooLate(seat, limit_ms, connection_lost=True), ending="lost_connection"
                )
            error.is_explained = remote.hub.explain_delay(remote.bot, asked)
            raise error
        return Answer(line, charged_ms, remote.reader.arrived_at, elapsed_ms - compensated_ms > limit_ms)
