"""The secret of an event: `--secret` repeats it, results keep it, and it is published after the last game."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest
from cli.command_line import SECRET, call_ok, call_refused, write_tournament

from arbiter.record import read_record
from arbiter.serve.results import ServedResults
from arbiter.tournament.results.store import Store
from protocol.words import SEATS

OTHER = "0123456789ABCDEF" * 2
DUELS = ("--rules", "duel", "--jobs", "1", "--games", "2")


def write_cards(folder, quick, **settings):
    """Write a tournament of the card game whose bots start at once."""
    return write_tournament(folder, rules="card-game", bots=quick[:2], **settings)


def play_cards(folder, quick, *words):
    """Play a small tournament of the card game in a new folder; return its file."""
    folder.mkdir()
    file = write_cards(folder, quick, games=4)
    call_ok("run", file, *words)
    return file


@pytest.fixture(scope="module")
def cards(tmp_path_factory, quick):
    """Play the tournament with one secret; return its file."""
    return play_cards(tmp_path_factory.mktemp("cards") / "event", quick, "--secret", OTHER)


def list_games(file):
    """List the random choices and the actions of all games."""
    with Store.read(file.parent / "results" / f"{file.stem}.sqlite") as store:
        records = [read_record(store.record(game.id)) for game in store.games()]
    return [
        (one.header.decks, one.header.seed, one.header.bot_seeds, [(act.seat, act.action) for act in one.acts])
        for one in records
    ]


@pytest.mark.heavy
def test_seed_and_secret_repeat_a_whole_event(cards, tmp_path, quick):
    one = list_games(cards)
    assert one == list_games(play_cards(tmp_path / "same", quick, "--secret", OTHER.lower()))
    other = list_games(play_cards(tmp_path / "other", quick, "--secret", SECRET))
    assert not any(
        choice in [game[part] for game in other] for part in range(4) for choice in [game[part] for game in one]
    )


def test_both_games_of_a_pair_have_the_same_decks_and_other_bot_seeds(cards):
    games = list_games(cards)
    for one, two in (games[:2], games[2:]):
        assert one[:2] == two[:2]
        assert not set(one[2].values()) & set(two[2].values())


@pytest.fixture
def match(quick_words):
    """Return the start of a match command."""
    return ("match", *quick_words[:2])


def test_a_bot_receives_the_seed_in_the_record(match, tmp_path):
    call_ok(*match, *DUELS, "--results", tmp_path / "m.sqlite", "--keep-logs")
    with Store.read(tmp_path / "m.sqlite") as store:
        for game in store.games():
            header = read_record(store.record(game.id)).header
            log = store.log(game.id)
            for seat in SEATS:
                starts = [line.text for line in log.wire[seat].lines if b'"type":"start"' in line.text]
                assert json.loads(starts[0])["seed"] == header.bot_seeds[seat]


def test_resuming_keeps_the_secret(cards, tmp_path, quick):
    shutil.copytree(cards.parent, tmp_path / "event")
    file = write_cards(tmp_path / "event", quick, games=6)
    told = call_refused("run", file, "--secret", SECRET)
    results = tmp_path / "event" / "results" / "club.sqlite"
    assert told == (
        f"arbiter: {results}: --secret: is not that of the 4 stored games; leave it out to continue, "
        "or keep the new games elsewhere with --results"
    )
    call_ok("run", file, "--secret", OTHER)
    with Store.read(results) as store:
        assert store.manifest.secret == OTHER.lower()
    assert len(list_games(file)) == 6


@pytest.mark.parametrize(
    "words", [("--secret", "abc"), ("--secret", OTHER[1:]), ("--secret", f"{OTHER}0"), ("--secret", "g" * 32)]
)
def test_a_bad_secret_is_refused(match, words, tmp_path):
    for command in (("run", write_tournament(tmp_path)), match, ("play", "random")):
        told = call_refused(*command, *words)
        assert f"'--secret': '{words[1]}' is not a secret of 32 hex digits" in told


def games_of(match, *words):
    """Play a match; return what does not depend on the machine, sorted, as the games may end in any order."""
    games = [
        line for line in map(json.loads, call_ok(*match, *DUELS, "--json", *words).splitlines()) if "ending" in line
    ]
    return sorted((game["id"], game["winner"], game["ending"], game["why"], game["plies"]) for game in games)


def test_a_match_is_repeated_by_its_seed_alone_or_by_seed_and_secret(match):
    alone = games_of(match, "--seed", 5)
    assert len(alone) == 2
    assert alone == games_of(match, "--seed", 5) == games_of(match, "--seed", 5, "--secret", "0" * 32)
    assert alone not in (games_of(match, "--seed", 6), games_of(match, "--seed", 5, "--secret", OTHER))


def test_a_match_with_a_seed_and_a_stored_secret_is_resumed(match, tmp_path):
    words = ("--results", tmp_path / "m.sqlite", "--seed", 5)
    call_ok(*match, *DUELS, *words, "--secret", OTHER)
    call_ok(*match, *DUELS[:-1], 4, *words)
    with Store.read(tmp_path / "m.sqlite") as store:
        assert (store.manifest.secret, len(store.games())) == (OTHER.lower(), 4)


def show_everywhere(file, folder):
    """Show results in every way that people or programs read them."""
    shown = [
        call_ok(command, file, *words) for command in ("status", "standings", "games") for words in ((), ("--json",))
    ]
    call_ok("report", file, "-o", folder)
    shown += [page.read_text() for page in folder.rglob("*.html")]
    return shown


def test_the_secret_is_published_after_the_last_game(club, tmp_path):
    shown = show_everywhere(club, tmp_path / "finished")
    assert f"seed 2026, secret {SECRET}" in shown[0]
    status = json.loads(shown[1])
    assert (status["seed"], status["secret"]) == (2026, SECRET)
    assert f"<code>{SECRET}</code>" in (tmp_path / "finished" / "index.html").read_text()

    results = club.parent / "results" / "club.sqlite"
    with ServedResults.read(results) as store:
        assert store.results().secret is None
        last = store.games()[-1]
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute("DELETE FROM game WHERE id = ?", (last.id,))
    shown = show_everywhere(club, tmp_path / "unfinished")
    assert json.loads(shown[1])["secret"] is None
    assert not any(SECRET in text for text in shown)


def test_events_and_output_of_a_run_do_not_contain_the_secret(tmp_path, quick):
    file = write_tournament(tmp_path, bots=quick[:2], games=4)
    shown = call_ok("run", file, "--events", tmp_path / "events.jsonl")
    assert SECRET not in shown + (tmp_path / "events.jsonl").read_text()
