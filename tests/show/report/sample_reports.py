"""Reports of the golden games with any names of bots, and a parser for their pages."""

from html.parser import HTMLParser
from pathlib import Path
from random import Random

from msgspec.structs import replace

from arbiter.record import PlayerName, RecordWriter, read_record
from arbiter.show.report.site import make_site
from arbiter.show.report.values import Part, ReportData
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings
from arbiter.tournament.standings.crosstable import build_crosstable, count_repeats
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import rank_bots
from arbiter.transcript import GameLog, LogLine, Transcript

GOLDEN = sorted((Path(__file__).parents[2] / "games" / "golden").glob("*.jsonl"))
TIE_BREAKS = ("points", "wins")


def make_game(number, red, blue, **changes):
    """Make a game that red won."""
    played = ("red", "flag_taken", None, 40, 6, 1, f"2026-01-01T00:00:{number:02}", 1)
    return replace(StoredGame(f"{red}~{blue}~{number}", 1, number, red, blue, *played), **changes)


def make_report_data(bots, games, **changes):
    """Make the data of a report."""
    table = rank_bots(bots, games, TIE_BREAKS)
    rated = tuple(Rating(bot=bot, group=1, rating=Estimate(0, -100, 100)) for bot in bots)
    results = ReportData(
        name="Club night",
        rules="All of them",
        options=(),
        format="round-robin",
        total=len(games),
        finished=True,
        created="2026-01-01T00:00:00+00:00",
        arbiter="0",
        parts=[Part(title="", ranking=table, crosstable=build_crosstable(bots, games))],
        final=table,
        ratings=Ratings(bots=rated, superiority={}, red_advantage=Estimate(1, 0, 2)),
        games=games,
        counted=games,
        played=len(games),
        repeats=count_repeats(games),
    )
    return replace(results, **changes)


def replace_players(data, red, blue, note=None):
    """Return a record with these players, and with a note and an evaluation on each act."""
    record = read_record(data)
    seats = {"red": PlayerName(red, red, red, red), "blue": PlayerName(blue, blue, blue, blue)}
    writer = RecordWriter(replace(record.header, seats=seats))
    for number, act in enumerate(record.acts):
        writer.act(replace(act, note=note, eval=float(number % 7 - 3)))
    return writer.finish(record.result)


def make_long_record(data):
    """Return a record with so many different notes that its viewer data is as large as that of thousands of plies."""
    record = read_record(data)
    writer = RecordWriter(record.header)
    rng = Random(1)
    for act in record.acts:
        writer.act(replace(act, note=rng.randbytes(400).hex()))
    return writer.finish(record.result)


def make_log(text):
    """Make the log of a game in which red sent a text and blue wrote it to stderr."""
    line = LogLine(1.0, sent=False, text=text.encode())
    return GameLog(wire={"red": Transcript(first=(line,))}, stderr={"blue": text})


def make_pages(results, record, log=lambda _: GameLog(), lang="en"):
    """Make a report; return its files by path."""
    return {page.path: page.content for page in make_site(replace(results, lang=lang), record, log)}


def write_files(folder, files):
    """Write files, given by path, into a folder; return the folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


class Page(HTMLParser):
    """The elements, the text and the links of a page."""

    def __init__(self, content):
        super().__init__()
        self.elements = []
        self.text = ""
        self.feed(content.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    @property
    def links(self):
        """Addresses of the pages that are linked, and of the files that are used."""
        return [
            value
            for _, attributes in self.elements
            for key, value in attributes.items()
            if key in {"href", "src", "data-games"}
        ]
