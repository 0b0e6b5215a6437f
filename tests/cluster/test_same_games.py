"""One tournament in one process, in worker processes and on a cluster: the games are the same."""

from cli.command_line import call_ok, write_tournament
from cluster.dask_processes import DaskProcesses, read_results

BOTS = ("hunter", "random", "stdlib")


def play(folder, *options):
    """Play a tournament; return what must be the same of each game."""
    folder.mkdir()
    file = write_tournament(folder, bots=BOTS, games=2)
    call_ok("run", file, *options)
    games, _ = read_results(file)
    assert all(game.fingerprint and game.red_program and game.conditions.host for game in games)
    return [(game.id, game.round, game.winner, game.ending, game.plies, game.fingerprint) for game in games]


def test_the_games_are_the_same_in_one_process_in_workers_and_on_a_cluster(tmp_path):
    with DaskProcesses(tmp_path) as cluster:
        cluster.start_dask_worker()
        here = play(tmp_path / "here")
        local = play(tmp_path / "local", "--workers", 2)
        cluster.wait_for_workers()
        remote = play(tmp_path / "remote", "--cluster", cluster.file)
    assert len(here) == 6
    assert here == local == remote
