"""Servers and clients that are killed in the middle of games lose, repeat and forfeit none: all come back."""

import os
import signal
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from cli.command_line import StartedArbiter, call_ok, write_tournament
from ports import reserve_port
from remote.network import connect_words, start_client

from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.results.store import Store
from arbiter.verify import verify

PLIES = 20
GAME_S = PLIES * 0.02
COMMAND = connect_words("thinks", "0.02")
REMOTE = ("deep", "hal")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="allowed: only Linux ends bots with their arbiter")


def invite(file, name, address):
    """Invite a remote program; return the address with its token."""
    return next(word for word in call_ok("invite", file, name, "--address", address).split() if address in word)


def find_gateway(arbiter):
    """Return the number of the process of a run's gateway."""
    children = Path(f"/proc/{arbiter}/task/{arbiter}/children").read_text().split()
    return next(int(one) for one in children if "gateway_process" in Path(f"/proc/{one}/cmdline").read_text())


def test_kill_9_of_the_gateway_blames_nobody(tmp_path):
    """The run ends, and the next one plays the games that were cut off, without an excuse of a program."""
    file = write_tournament(
        tmp_path,
        rules="original",
        bots=[{"name": "deep", "kind": "remote"}, {"name": "local", "command": COMMAND}],
        draws={"max_plies": PLIES},
        time={"start_s": 60, "setup_s": 60, "bank_s": 20},
    )
    with reserve_port() as port, start_client(invite(file, "deep", f"ws://127.0.0.1:{port}/"), COMMAND):
        words = ["run", file, "--gateway", port, "--jobs", "2", "--events", "-"]
        with StartedArbiter(*words) as running:
            running.read_until('"started"')
            os.kill(find_gateway(running.popen.pid), signal.SIGKILL)
            code, err = running.finish()
            assert code == 2
            assert "the gateway of remote programs has ended; run the same command again" in err
        with StartedArbiter(*words) as again:
            assert again.finish()[0] == 0
    with Store.read(tmp_path / "results" / "club.sqlite") as store:
        assert {(game.winner, game.ending) for game in store.games()} == {(None, "ply_limit")}
        assert {attempt.cause for attempt in store.attempts().values()} == {"stopped"}


@pytest.mark.heavy
@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])])
def test_kill_9_of_server_and_clients_loses_repeats_and_blames_nobody(tmp_path, kills):
    file = write_tournament(
        tmp_path,
        rules="original",
        bots=[*({"name": name, "kind": "remote"} for name in REMOTE), {"name": "local", "command": COMMAND}],
        deals="separate",
        games=kills,
        draws={"max_plies": PLIES},
    )
    rng = Random(kills)
    with ExitStack() as stack:
        port = stack.enter_context(reserve_port())
        address = f"ws://127.0.0.1:{port}/"
        words = ["run", file, "--gateway", port, "--jobs", "2", "--events", "-"]
        clients = {
            name: (invitation, stack.enter_context(start_client(invitation, COMMAND)))
            for name in REMOTE
            for invitation in [invite(file, name, address)]
        }
        for number in range(kills):
            with StartedArbiter(*words) as running:  # killed by signal 9 at the end of the block
                running.read_until('"started"')
                time.sleep(rng.uniform(0, 1.5 * GAME_S))
                if number % 2:
                    name = rng.choice(REMOTE)
                    invitation, client = clients[name]
                    client.kill()
                    time.sleep(rng.uniform(0, GAME_S))
                    clients[name] = invitation, stack.enter_context(start_client(invitation, COMMAND))
                    time.sleep(rng.uniform(0, GAME_S))
        with StartedArbiter(*words) as last:
            code, err = last.finish()
            assert (code, set(err.splitlines())) == (0, {f"arbiter: {bot} is connected" for bot in ("deep", "hal")})
    scheduled = {fixture.id for fixture in load_tournament(file).schedule(17).fixtures}
    with Store.read(tmp_path / "results" / "club.sqlite") as store:
        games = store.games()
        assert Counter(game.id for game in games) == Counter(scheduled)
        assert all(verify(store.record(game.id)).ok for game in games)
    assert {(game.winner, game.ending, game.plies) for game in games} == {(None, "ply_limit", PLIES)}
