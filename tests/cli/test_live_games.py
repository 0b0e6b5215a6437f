"""Games that can be watched while they are played: `--live`."""

from cli.command_line import call, call_refused
from cli.sleeping_bot import linux_only, wake
from cli.waiting_bot import FIRST, run_until_waiting, waiting_tournament

from arbiter.record import read_record
from arbiter.tournament.results.live_files import live_games_folder, read_live_game
from arbiter.verify import verify


@linux_only
def test_the_record_of_a_game_in_progress_grows_and_is_removed_at_the_end(folder):
    file = waiting_tournament(folder)
    results = folder / "results" / "club.sqlite"
    with run_until_waiting(file, "--live") as running:
        shown = read_record(read_live_game(results, FIRST))
        assert (shown.header.id, shown.header.seats["red"].program) == (FIRST, "waiter")
        assert [act.seat for act in shown.acts] == ["red", "blue"] * 4
        assert verify(read_live_game(results, FIRST)).ok
        wake(folder)
        assert running.finish() == (0, "arbiter: bots outside a sandbox could read the games in progress\n")
    assert not live_games_folder(results).exists()
    call("games", file, "--export", folder / "records")
    assert read_record((folder / "records" / f"{FIRST}.jsonl").read_bytes()).acts[:8] == shown.acts


@linux_only
def test_without_live_no_games_in_progress_are_written(folder):
    file = waiting_tournament(folder)
    results = folder / "results" / "club.sqlite"
    live_games_folder(results).mkdir(parents=True)
    with run_until_waiting(file) as running:
        assert not live_games_folder(results).exists(), "the leftovers of a killed arbiter are not live"
        wake(folder)
        assert running.finish() == (0, "")


def test_games_that_are_not_stored_cannot_be_watched():
    told = call_refused("match", "random", "random", "--games", "2", "--live")
    assert told == "arbiter: --live: games in progress are stored next to the results; name a file with --results"


def test_a_match_can_be_watched_too(tmp_path, quick_words):
    results = tmp_path / "m.sqlite"
    done = call("match", *quick_words[:2], "--rules", "duel", "--games", "2", "--live", "--results", results)
    assert done.exit_code == 0
    assert not live_games_folder(results).exists()
