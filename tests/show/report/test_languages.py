"""The pages in every language: the catalogues are complete, and a page contains no words of another language."""

import re
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from msgspec.structs import replace
from show.report.sample_reports import GOLDEN, make_game, make_log, make_pages, make_report_data, replace_players
from tournament.test_season import make_event

from arbiter.languages.catalogue import LANGUAGES
from arbiter.languages.phrase import join_phrases, phrase
from arbiter.record import read_record
from arbiter.show.replay.replay import Replay
from arbiter.show.report.files import LIVE_ASSETS, VIEWER_PARTS, read_static
from arbiter.show.report.games import make_live_game_page, make_missing_page, make_single_page
from arbiter.show.report.season import make_season_site
from arbiter.show.report.values import Download, JoinOffer, LiveTournament, RankChanges
from arbiter.show.report.wall import make_wall_page
from arbiter.show.report.words import PageWords
from arbiter.show.tables.event import categories_sheets, teams_sheet
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.prizes import PrizeTable
from arbiter.tournament.season import Season, SeasonEvent, SeasonFile, rank_season

OTHERS = [lang for lang in LANGUAGES if lang != "en"]
TEMPLATES = files("arbiter.show.report") / "templates"
DUEL = next(path for path in GOLDEN if path.stem == "duel")
BOTS = ("hunter", "mine", "zero")


def test_scripts_contain_no_texts():
    """All that they show comes from `words.js`; two words in a row are a text, or one of these."""
    known = {"use strict", "#main details", "turn head", "note legend-pieces", ".top nav", "not copied"}
    names = [*LIVE_ASSETS, "games.js", "spoilers.js", *VIEWER_PARTS]
    for name in (one for one in names if one.endswith(".js")):
        source = re.sub(r"^\s*//.*$|\s// .*$", "", read_static(name).decode(), flags=re.MULTILINE)
        texts = (re.sub(r"\$\{[^}]*\}", "", found[2]) for found in re.finditer(r"([\"`])((?:(?!\1).)*)\1", source))
        shown = [text for text in texts if re.search(r"\b[A-Za-z]?[a-z]{2,} [a-z]{2,}\b", text)]
        assert [text for text in shown if text not in known and not text.startswith("<iframe")] == [], name


def test_a_text_has_links_code_and_the_form_for_a_number():
    write = PageWords("fr").write
    assert write("count_games", count=0) == "0 partie"
    assert write("count_games", count=2) == "2 parties"
    assert PageWords("de").write("count_games", count=0) == "0 Partien"
    linked = PageWords("en").write("played_instead", "../a{b}.html")
    assert '<a href="../a{b}.html">this game</a>' in linked
    assert "&lt;b&gt;[x]&lt;/b&gt;" in PageWords("en").write("rank_of", rank="<b>[x]</b>", bots=2)
    assert "<code>--live</code>" in PageWords("en").write("cannot_be_watched")


def test_words_that_a_language_lacks_are_marked():
    words = PageWords("de")
    assert words.mark_foreign(phrase("corrected")) == ' lang="en"'
    assert words.mark_foreign(join_phrases(", ", [phrase("rank"), phrase("corrected")])) == ' lang="en"'
    assert [words.mark_foreign(one) for one in ("a name", phrase("mean_is_zero"), 5, None)] == [""] * 4
    assert words.mark_lacking("network") == ' lang="en"'


# --- whole pages ----------------------------------------------------------------------------------


VOID = "br img input link meta line path rect use polyline polygon circle"


class Texts(HTMLParser):
    """The texts of a page, of elements and attributes, without logs."""

    def __init__(self, content):
        super().__init__()
        self.found = set()
        self.english = set()
        self._stack = []
        self.feed(content.decode())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in VOID.split():
            self._stack.append("english" if values.get("lang") == "en" and tag != "pre" else tag)
        shown = [values.get(key) for key in ("aria-label", "title", "alt", "data-missing", "placeholder")]
        if values.get("property", values.get("name", "")) in {"og:title", "og:description", "description"}:
            shown.append(values["content"])
        self.found.update(text for text in shown if text)

    def handle_endtag(self, tag):
        while self._stack and self._stack.pop() not in {tag, "english"}:
            pass

    def handle_data(self, data):
        if not {"script", "style", "pre", "code", "noscript"}.intersection(self._stack):
            (self.english if "english" in self._stack else self.found).add(" ".join(data.split()))


@cache
def make_all_pages(lang):
    """Make a page of every kind."""
    entries = {name: BotConfig(name=name, author="Ada", club="Chess", category="Junior", team="A") for name in BOTS}
    endings = ("flag_taken", "crash", "no_moves", "resigned", "ply_limit", "no_attack_limit", "timeout", "annulled")
    games = [
        make_game(
            number,
            BOTS[number % 3],
            BOTS[(number + 1) % 3],
            id=f"g{number}",
            ending=ending,
            started=f"2026-01-01T00:00:0{number}+00:00",
            conditions=PlayingConditions(
                host=f"host{number % 2}", cores=2, jobs=1, load=1.5, lag_ms=5.0, excused={"red": 2}, sandbox="full"
            ),
        )
        for number, ending in enumerate(endings)
    ]
    records = {game.id: replace_players(DUEL.read_bytes(), game.red, game.blue, "note") for game in games}
    data = make_report_data(BOTS, games, rules="Stratego Duel", finished=False, total=99)
    groups = [*categories_sheets(data.final, entries), teams_sheet(data.final, [data.final], entries)]
    data = replace(
        data,
        lang=lang,
        bots=entries,
        groups=[sheet for sheet in groups if sheet is not None],
        settings={"time_control": phrase("time_to_deploy", limit=5), "clock": phrase("elapsed_time")},
        downloads=[Download("games.csv", "games_file", lambda: b"")],
        rank_changes=RankChanges(1, {"hunter": 1, "mine": -1}),
        join=JoinOffer(kit="kit.whl", rules="duel", takes_remote=True, takes_submissions=True),
        secret="abc",
    )
    pages = make_pages(data, records.__getitem__, lambda _: make_log("note"), lang)
    began = Began(make_fixture("hunter", "mine", 3, 7), "2026-12-05T19:00:00", "host0")
    for live in (
        LiveTournament(games=[began], playing=True, delay=2, present={"hunter": True, "mine": False}, guests_play=True),
        LiveTournament(games=[began], playing=False, can_be_watched=False),
    ):
        served = replace(data, live=live)
        name = f"live-{live.playing}"
        pages |= {f"{name}-{path}": text for path, text in make_pages(served, records.__getitem__, lang=lang).items()}
        pages[f"{name}-wall.html"] = make_wall_page(served).content
        pages[f"{name}-game.html"] = make_live_game_page(served, began, None).content
        for path in ("follow.html", "games/x.html"):
            pages[f"{name}-missing-{path}"] = make_missing_page(path, served)
    pages["single.html"] = make_single_page(Replay(read_record(DUEL.read_bytes()), lang), "arbiter", "0")
    events = [
        make_event("abc", [make_game(one, "a", "b", id=f"{number}{one}") for one in range(3)]) for number in range(2)
    ]
    file = SeasonFile(
        name="Cup",
        best=1,
        prizes=PrizeTable(places=[10.0, 5.0]),
        events=[SeasonEvent(file="1"), SeasonEvent(file="2")],
    )
    bots = {name: BotConfig(name=name) for name in "abc"}
    season = Season(file=file, events=events, bots=bots, ranking=rank_season(file, events))
    for page in make_season_site(season, lang):
        pages[f"season-{page.path}"] = page.content
    return {path: content for path, content in pages.items() if path.endswith(".html")}


DATA = re.compile(
    r"\b(kit.whl|hunter|mine|zero|duel|round-robin|random|Cup|Club night|Ada|Chess|Junior|Stratego|Duel|arbiter|Elo|Elo LOS|LOS"
    r"|JSON Lines|bzip2|UTC|CSV|Python|Bots?|Match|Version|JavaScript|api/v1/games|kit|Rating|SQLite|stdin|stdout|Open|a and [ab])\b"
)
SAME = "General Major Start live Team Downloads Phase Name System Format Status Club"
"""Words that are the same in German, by chance or because it has none of its own."""


def test_no_page_in_german_contains_english():
    """Texts that a page has in both languages contain no word, apart from names, data, and words that are the same."""
    english, german = make_all_pages("en"), make_all_pages("de")
    assert set(english) == set(german)
    same = {}
    for path, content in german.items():
        assert b'<html lang="de"' in content, path
        for text in Texts(content).found & Texts(english[path]).found:
            left = DATA.sub("", text)
            words = set(re.findall(r"[^\W\d_]{3,}", left)) - set(SAME.split())
            if words:
                same.setdefault(text, path)
    assert same == {}


def test_texts_that_are_marked_as_english_contain_no_german():
    english, german = make_all_pages("en"), make_all_pages("de")
    for path, content in german.items():
        original = Texts(english[path])
        assert Texts(content).english <= original.english | original.found, path


@pytest.mark.heavy
@pytest.mark.parametrize("lang", ["fr", "it", "nl"])
def test_every_page_can_be_written_in_every_language(lang):
    for path, content in make_all_pages(lang).items():
        assert f'<html lang="{lang}"'.encode() in content, path
        assert b"\\x" not in content, path  # a sign of a text that is taken for one that does not print
