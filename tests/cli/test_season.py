"""`season`: several events as one, from the results of events that are played, in progress, and not begun."""

import json
import re
from random import Random

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament
from msgspec.structs import replace
from tournament.schedules import finish
from tournament.tournaments import manifest

from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import SYSTEMS, score

SEASON = """\
name = "Club season"
points = [10, 6, 3]
best = 2

[event]
title = "League of Köln"

[prizes]
currency = "EUR"
places = [100, 50]

[[prizes.categories]]
name = "Best newcomer"
newcomer = true
places = ["a book"]

[[events]]
file = "results/spring.sqlite"
title = "Spring"

[[events]]
file = "results/summer.sqlite"
names = { amok = "random" }
link = "https://example.org/summer"

[[events]]
file = "autumn.toml"
"""


def play(path, bots, order, *, most=None, **settings):
    """Store the games of a round-robin in which the bot that comes first in `order` wins."""
    path.parent.mkdir(exist_ok=True)
    made = manifest(bots, games=2, **settings)
    with Store.create_or_resume(path, made) as store:
        schedule = made.schedule()
        games = []
        while (fixture := schedule.take()) and (most is None or len(games) < most):
            winner = "red" if order.index(fixture.red) < order.index(fixture.blue) else "blue"
            done = finish(fixture, winner)
            worth = score(SYSTEMS["isf"], winner, "flag_taken")
            games.append(replace(done, red_points=worth["red"], blue_points=worth["blue"]))
            schedule.add(games[-1])
        store.add([NewGame(one, b"record") for one in games])
    return path


@pytest.fixture(scope="module")
def season(tmp_path_factory):
    """Write a season with an event that is played, one in progress, and one that has not begun."""
    folder = tmp_path_factory.mktemp("season")
    bots = ("hunter", "random", "stdlib")
    play(folder / "results/spring.sqlite", bots, ["hunter", "stdlib", "random"], name="Spring open")
    write_tournament(folder, name="spring", bots=bots)
    bots = ("hunter", "amok", "stdlib")
    play(folder / "results/summer.sqlite", bots, ["stdlib", "hunter", "amok"], name="Summer open", most=5)
    entries = [
        {"name": "hunter", "title": "Die Jägerin", "contact": "zoe@example.org", "club": "Köln"},
        {"name": "random", "newcomer": True, "contact": "bob@example.org"},
        "stdlib",
    ]
    write_tournament(folder, name="autumn", bots=entries, rules="original")
    path = folder / "season.toml"
    path.write_text(SEASON, "utf-8")
    return path


def read(path, *words):
    return [json.loads(line) for line in call_ok("season", path, "--json", *words).splitlines()]


def test_the_table_for_programs(season):
    rows = read(season)
    assert [(row["rank"], row["bot"], row["points"]) for row in rows] == [
        (1, "hunter", 16),
        (1, "stdlib", 16),
        (3, "random", 6),
    ]
    first, second, third = rows[0]["events"]
    assert first == {"rank": 1, "score": first["score"], "points": 10, "counts": True}
    assert (second["rank"], second["points"], third) == (2, 6, None)
    table = call_ok("season", season, "--format", "csv").splitlines()
    assert table[0].startswith("rank,bot,title,points,Spring,Summer open,Club night")
    assert table[1].startswith("1,hunter,Die Jägerin,16,10,6,,2")


def test_the_tables_for_people(season):
    text = call_ok("season", season)
    assert "Summer open *" in text
    assert "* in progress: the points are those of the standings so far." in text
    assert "The best 2 events of 3 count; others are in brackets." in text
    assert re.search(r"Summer open .* 5 of 6 games", text)
    assert re.search(r"Club night .* not begun", text)
    assert "Die Jägerin and stdlib share a rank; each gets (100 + 50) / 2" in " ".join(text.split())
    assert "a book" in text


@pytest.mark.parametrize(("table", "kind", "lines"), [("events", "event", 3), ("prizes", "prize", 3)])
def test_single_tables(season, table, kind, lines):
    found = read(season, "--show", table)
    assert [line["type"] for line in found] == [kind] * lines


def test_one_page_shows_the_season_and_no_contact(season, tmp_path):
    out = tmp_path / "pages"
    assert f"3 events in {out / 'index.html'}" in call_ok("season", season, "-o", out)
    assert [str(path.relative_to(out)) for path in out.rglob("*.html")] == ["index.html"]
    index = (out / "index.html").read_text("utf-8")
    assert "League of Köln" in index
    assert "Prizes so far" in index
    assert '<a href="https://example.org/summer" rel="nofollow noopener">Summer open</a>' in index
    outputs = [call_ok("season", season, "--format", form) for form in ("table", "csv", "json", "markdown")]
    assert "@example.org" not in index + "".join(outputs)


FAULTS = [
    ('best = "all"\n[[events]]\nfile = "results/spring.sqlite"', 'line 2: best: is "all", must be a whole number from 1 to 1000'),
    ('[[events]]\nfile = "gone.sqlite"', "line 3: events.#1.file: gone.sqlite: "),
    ('[[events]]\nfile = "notes.sqlite"', "line 3: events.#1.file: notes.sqlite: is not a results file of this arbiter"),
    ('[[events]]\nfil = "results/spring.sqlite"', "line 3: events.#1.fil: unknown key; did you mean file?"),
    (
        '[[events]]\nfile = "results/spring.sqlite"\nnames = { huntr = "x" }',
        "line 4: events.#1.names: unknown bot 'huntr': did you mean 'hunter'?",
    ),
    (
        '[[events]]\nfile = "results/spring.sqlite"\nnames = { random = "hunter" }',
        "line 4: events.#1.names: hunter and random of this event are both hunter in the season",
    ),
    (
        '[[events]]\nfile = "results/spring.sqlite"\n[[events]]\nfile = "spring.toml"',
        "line 5: events.#2.file: contains the same tournament as results/spring.sqlite; list it once",
    ),
    ('entrants = "gone.toml"\n[[events]]\nfile = "results/spring.sqlite"', "line 2: entrants: unknown key; did you mean events?"),
    ('[prizes]\nplaces = [1]\nties = "hort"\n[[events]]\nfile = "results/spring.sqlite"', "line 4: prizes.ties: unknown key"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "fault"), FAULTS)
def test_faults_name_the_line_and_the_fix(season, monkeypatch, lines, fault):
    monkeypatch.chdir(season.parent)
    (season.parent / "notes.sqlite").write_text("not a database")
    path = season.with_name("faulty.toml")
    path.write_text(f'name = "Season"\n{lines}\n', "utf-8")
    refusal = call_refused("season", "faulty.toml")
    assert f"faulty.toml: {fault}" in refusal


def test_several_faults_at_once(season):
    path = season.with_name("faulty.toml")
    files = "".join(f'[[events]]\nfile = "gone-{number}.sqlite"\n' for number in range(3))
    path.write_text(f'name = "Season"\n{files}', "utf-8")
    done = call("season", path)
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 3


def test_damaged_results_are_refused(season, tmp_path):
    good = (season.parent / "results/spring.sqlite").read_bytes()
    chance = Random(3)
    path = tmp_path / "season.toml"
    path.write_text('name = "Season"\n[[events]]\nfile = "unknown.sqlite"\n', "utf-8")
    for _ in range(8):
        damaged = bytearray(good)
        for _ in range(300):
            damaged[chance.randrange(100, len(good))] = chance.randrange(256)
        (tmp_path / "unknown.sqlite").write_bytes(bytes(damaged))
        assert call("season", path).exit_code in (0, 2)
