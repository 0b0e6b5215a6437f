"""A proxy between client and server cuts, halves, delays and stalls: games are those of pipes, and no bot is blamed."""

from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
from cluster.chaos.proxy import Proxy
from referee.real_games import bot, play
from remote.network import connect_words, open_network, play_in, start_client

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides

pytestmark = pytest.mark.usefixtures("adopting")
LONG = {"overrides": Overrides(no_attack_plies=24), "time": TimeSettings(start_s=30, setup_s=30, bank_s=60)}
WORDS = ("scripted", "wants=legal,view")


async def disturb(network, proxy, rng):
    """Cut a connection in the middle of a game, then cut, halve and stall at random moments."""
    await network.wait_for_lines(4)
    proxy.cut()
    while True:
        await trio.sleep(rng.uniform(0.1, 0.8))
        rng.choice((proxy.cut, proxy.halve, lambda: proxy.stall(rng.uniform(0, 0.5))))()
        proxy.delay(rng.uniform(0, 0.02), rng.uniform(0, 0.02))


@asynccontextmanager
async def open_proxy(folder):
    """Open a gateway, and a proxy in front of it."""
    async with open_network(folder) as network:
        proxy = Proxy(network.port)
        try:
            yield network, proxy
        finally:
            proxy.close()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 100))])
def test_a_game_with_lost_connections_is_that_of_pipes(tmp_path, seed):
    async def main():
        async with open_proxy(tmp_path) as (network, proxy):
            with start_client(network.address("deep", proxy.port), connect_words(*WORDS)):
                await network.wait_for("deep")
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(disturb, network, proxy, Random(seed))
                    game = await play_in(network.program("deep"), bot("thinks", "0.05"), **LONG)
                    nursery.cancel_scope.cancel()
                return game

    remote, local = trio.run(main), play(bot(*WORDS), bot(), **LONG)
    assert remote.outcome == local.outcome == ("no_attack_limit", None), remote.result
    assert [act.action for act in remote.acts] == [act.action for act in local.acts]
    assert remote.game.network["red"].reconnects > 0


@pytest.mark.heavy
def test_the_way_over_the_network_is_not_charged(tmp_path):
    async def main():
        async with open_proxy(tmp_path) as (network, proxy):
            proxy.delay(0.05, 0.02)
            with start_client(network.address("deep", proxy.port), connect_words("base")):
                await network.wait_for("deep")
                return await play_in(network.program("deep"), bot(), overrides=Overrides(no_attack_plies=6))

    times = trio.run(main).game.network["red"]
    assert times.round_trip_ms >= 100
    assert times.compensated_ms >= 3 * 100
    assert times.raw_ms == pytest.approx(times.charged_ms + times.compensated_ms, abs=100)
