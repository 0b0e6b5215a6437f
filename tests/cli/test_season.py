"""`season`: several events as one, from the results of events that are played, in progress, and not begun."""

import json
import re
from random import Random

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament
from tournament.schedules import finish
from tournament.tournaments import manifest

from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import SYSTEMS, score

ENTRANTS = """\
[[bots]]
name = "hunter"
title = "Die Jägerin"
contact = "zoe@example.org"
club = "Köln"

[[bots]]
name = "random"
newcomer = true
contact = "bob@example.org"

[[bots]]
name = "stdlib"
contact = "eve@example.org"
"""
SEASON = """\
name = "Club season"
points = [10, 6, 3]
best = 2
entrants = "entrants.toml"
names = { amok = "random" }

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

[[events]]
file = "autumn.toml"
"""


def play(path, bots, order, *, most=None, programs=None, **settings):
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
            marks = {f"{seat}_program": (programs or {}).get(getattr(fixture, seat), "") for seat in ("red", "blue")}
            fields = {name: getattr(done, name) for name in done.__struct_fields__} | marks
            games.append(type(done)(**fields | {"red_points": worth["red"], "blue_points": worth["blue"]}))
            schedule.add(games[-1])
        store.add([NewGame(one, b"record") for one in games])
    return path


@pytest.fixture(scope="module")
def season(tmp_path_factory):
    """Write a season with an event that is played, one in progress, and one that has not begun."""
    folder = tmp_path_factory.mktemp("season")
    (folder / "entrants.toml").write_text(ENTRANTS, "utf-8")
    bots = ("hunter", "random", "stdlib")
    first = {"hunter": "1" * 64, "random": "2" * 64, "stdlib": "3" * 64}
    play(folder / "results/spring.sqlite", bots, ["hunter", "stdlib", "random"], name="Spring open", programs=first)
    second = {"hunter": "4" * 64, "amok": "2" * 64, "stdlib": "3" * 64}
    bots = ("hunter", "amok", "stdlib")
    order = ["stdlib", "hunter", "amok"]
    play(folder / "results/summer.sqlite", bots, order, name="Summer open", programs=second, most=5)
    write_tournament(folder, name="spring", bots=bots)
    write_tournament(folder, name="autumn", bots=bots, rules="original")
    path = folder / "season.toml"
    path.write_text(SEASON, "utf-8")
    return path


def read(path, *words):
    return [json.loads(line) for line in call_ok("season", path, "--json", *words).splitlines()]


def test_the_table_for_programs(season):
    rows = read(season)
    assert [(row["rank"], row["bot"], row["points"]) for row in rows] == [
        (1, "hunter", 16),
        (2, "stdlib", 16),
        (3, "random", 6),
    ]
    hunter = rows[0]["events"]
    assert [event and (event["rank"], event["points"], event["counts"]) for event in hunter] == [
        (1, 10, True),
        (2, 6, True),
        None,
    ]
    assert rows[1]["separated_by"] == "direct"
    assert rows[0]["tie_breaks"]["direct"] > rows[1]["tie_breaks"]["direct"]
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
    assert "16 points each for Die Jägerin and stdlib; Die Jägerin won their games" in text
    assert "a book" in text
    assert re.search(r"Most events won +Die Jägerin +1 event", text)


def test_all_events_are_rated_in_one_fit_with_versions(season):
    bots = {row["bot"] for row in read(season, "--show", "ratings")}
    assert bots == {"hunter@11111111", "hunter@44444444", "random", "stdlib"}
    anchored = read(season, "--show", "ratings", "--anchor", "random=1000")
    assert next(row["rating"]["elo"] for row in anchored if row["bot"] == "random") == 1000
    assert "anchor: " in call_refused("season", season, "--anchor", "huntr=1000")


@pytest.mark.parametrize(("table", "kind", "lines"), [("events", "event", 3), ("records", "record", 8), ("prizes", "prize", 3)])  # fmt: skip
def test_single_tables(season, table, kind, lines):
    found = read(season, "--show", table)
    assert [line["type"] for line in found] == [kind] * lines


def test_pages_show_each_bot_and_no_contact(season, tmp_path):
    out = tmp_path / "pages"
    assert f"3 events in {out / 'index.html'}" in call_ok("season", season, "-o", out)
    names = {str(path.relative_to(out)) for path in out.rglob("*.html")}
    assert names == {"index.html", "bots/hunter.html", "bots/random.html", "bots/stdlib.html"}
    index = (out / "index.html").read_text("utf-8")
    assert "Rating over time" in index
    assert "Prizes so far" in index
    page = (out / "bots/hunter.html").read_text("utf-8")
    assert "44444444" in page
    assert "The bot played with several programs" in page
    outputs = [call_ok("season", season, "--format", form) for form in ("table", "csv", "json", "markdown")]
    published = b"".join(path.read_bytes() for path in out.rglob("*.*")) + "".join(outputs).encode()
    assert b"@example.org" not in published


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
        'names = { amok = "radom" }\n[[events]]\nfile = "results/spring.sqlite"',
        "line 2: names: unknown bot 'amok': there is hunter, random, stdlib",
    ),
    (
        '[[events]]\nfile = "results/spring.sqlite"\n[[events]]\nfile = "spring.toml"',
        "line 5: events.#2.file: contains the same tournament as results/spring.sqlite; list it once",
    ),
    ('entrants = "gone.toml"\n[[events]]\nfile = "results/spring.sqlite"', "line 2: entrants: gone.toml: there is no such"),
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
