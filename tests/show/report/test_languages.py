"""The pages in every language: the catalogues are complete, and a page contains no words of another language."""

import ast
import re
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from itertools import chain
from pathlib import Path
from string import Formatter

import pytest
from msgspec.structs import replace
from show.report.sample_reports import GOLDEN, make_game, make_log, make_pages, make_report_data, replace_players
from tournament.season.test_season_table import make_event

from arbiter.languages.catalogue import LANGUAGES, read_language
from arbiter.record import read_record
from arbiter.show.phrase import join_phrases, phrase, phrase_count
from arbiter.show.replay.replay import Replay
from arbiter.show.report.files import LIVE_ASSETS, VIEWER_PARTS, read_static
from arbiter.show.report.games import make_live_game_page, make_missing_page, make_single_page
from arbiter.show.report.season import make_season_site
from arbiter.show.report.values import Download, EntryOffer, LiveTournament, RankChanges
from arbiter.show.report.wall import make_wall_page
from arbiter.show.report.words import PageWords
from arbiter.show.season import make_season_data
from arbiter.show.tables import breakdown, prizes
from arbiter.show.tables.event import categories_sheets, teams_sheet
from arbiter.show.tables.run import incidents
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.season.season_file import SeasonEvent, SeasonFile
from arbiter.tournament.season.table import Season

OTHERS = [lang for lang in LANGUAGES if lang != "en"]
TEMPLATES = files("arbiter.show.report") / "templates"
DUEL = next(path for path in GOLDEN if path.stem == "duel")
BOTS = ("hunter", "mine", "zero")


def placeholders(text):
    return {field for _, field, _, _ in Formatter().parse(text) if field}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("section", ["pages", "scripts"])
def test_each_language_has_each_text_of_pages_with_its_placeholders_and_no_other(lang, section):
    wanted, found = getattr(read_language("en"), section), getattr(read_language(lang), section)
    assert {key: placeholders(text) - {"count"} for key, text in found.items()} == {
        key: placeholders(text) - {"count"} for key, text in wanted.items()
    }
    counted = {key for key, text in wanted.items() if "{count}" in text}
    assert {key for key, text in found.items() if "{count}" in text} == counted
    assert [key for key, text in found.items() if text.count("[") != wanted[key].count("[")] == []
    assert [key for key, text in found.items() if text.count("`") != wanted[key].count("`")] == []
    assert [key for key, text in found.items() if " | " in text and key not in counted | {"rulings_numbered"}] == []


@pytest.mark.parametrize("section", ["tables", "phrases"])
def test_the_words_of_tables_are_the_same_ones_in_all_languages_but_english(section):
    assert getattr(read_language("en"), section) == {}
    each = {lang: getattr(read_language(lang), section) for lang in OTHERS}
    for found in each.values():
        assert set(found) == set(each["de"])
        assert {key for key, text in found.items() if placeholders(text) != placeholders(key)} == set()


def list_values(node):
    """List the texts that an expression can have, as far as it consists of constants, conditions and sums."""
    match node:
        case ast.Constant(value=str()):
            return [node.value]
        case ast.IfExp():
            return [*list_values(node.body), *list_values(node.orelse)]
        case ast.BinOp(op=ast.Add(), right=ast.BinOp(op=ast.Mult(), left=ast.Constant(value=str() as more))):
            return [text for start in list_values(node.left) for text in (start, start + more)]
    return []


def list_templates():
    """List the templates of phrases in the source."""
    found = []
    for path in Path("arbiter/show").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name("phrase"), args=[template]):
                    assert not isinstance(template, ast.JoinedStr), f"{path}:{node.lineno}: write whole templates"
                    found += list_values(template)
                case ast.Assign(targets=[ast.Name("template")], value=template):
                    found += list_values(template)
    for group in (prizes.REASONS, prizes.REACHED, breakdown.WHERE, incidents.RESULTS):
        found += group.values()
    return [*found, *(short for _, short in incidents.REASONS.values())]


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("lang", OTHERS)
def test_each_phrase_has_a_translation(lang):
    language = read_language(lang)
    found = {words for words in list_templates() if re.search(r"[^\W\d_]", re.sub(r"\{\w+\}", "", words))}
    assert len(found) > 90
    assert found - language.phrases.keys() - language.tables.keys() == set()


def test_a_phrase_is_translated_with_its_values_but_not_the_names_of_bots():
    write = PageWords("de").translate
    assert write(phrase("{names} and {last}", names="rank", last="points")) == "rank und points"
    place = phrase("{places} prize", places=prizes.write_ordinal(3))
    assert (str(place), write(place)) == ("3rd prize", "3. Preis")
    assert write(join_phrases(", ", ["rank", place])) == "rank, 3. Preis"
    assert write(phrase("up to 30 plies")) == "bis 30 Züge"


def test_each_text_of_pages_is_used():
    source = "".join(file.read_text("utf-8") for file in TEMPLATES.iterdir())
    source += (files("arbiter.serve") / "pages.py").read_text("utf-8")
    source += "".join(
        (files("arbiter.show.report") / name).read_text("utf-8") for name in ("introduction.py", "games.py")
    )
    used = set(re.findall(r'"([a-z_0-9]+)"', source))
    begun = tuple(re.findall(r'text\("([a-z_]+_)" ~', source))
    ends = ("_number", "_by_this", "_since", "_short")
    unused = {key for key in read_language("en").pages if key not in used and not key.startswith(begun)}
    assert {key for key in unused if not key.endswith(ends)} <= {"pair"}  # as `text(results.unit)`


def test_each_text_of_scripts_is_used():
    names = [*LIVE_ASSETS, "games.js", "spoilers.js", *VIEWER_PARTS]
    source = "".join(read_static(name).decode() for name in names if name.endswith(".js"))
    used = set(re.findall(r'"([a-z_]+)"', source)) | set(re.findall(r"words\.([a-z_]+)|scripts\.([a-z_]+)", source))
    used = set(chain.from_iterable(one if isinstance(one, tuple) else (one,) for one in used))
    assert set(read_language("en").scripts) - used == set()


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
    translate = PageWords("fr").translate
    assert [translate(phrase_count(count, "pair")) for count in range(3)] == ["0 paire", "1 paire", "2 paires"]
    assert [translate(phrase_count(count, "game")) for count in range(3)] == ["0 partie", "1 partie", "2 parties"]
    linked = PageWords("en").write("state_struck", "../a{b}.html", bot="<b>[x]</b>")
    assert '<a href="../a{b}.html">&lt;b&gt;[x]&lt;/b&gt;</a>' in linked
    assert "<code>--live</code>" in PageWords("en").write("cannot_be_watched")


def test_words_of_tables_are_translated_with_their_values():
    words = PageWords("de")
    assert (
        words.translate("Having red is worth 7 Elo (95 %: -3 to 9).") == "Rot zu haben ist 7 Elo wert (95 %: -3 bis 9)."
    )
    assert words.translate_list("30 s + 0.1 s a turn, deployment 30 s") == "30 s + 0.1 s je Zug, Aufstellung 30 s"
    assert (words.translate("unknown words"), words.mark_foreign("unknown words")) == ("unknown words", ' lang="en"')
    assert words.mark_foreign("The mean is 0.") == ""
    assert words.translate("5 of 56 games") == "5 von 56 Partien"  # and not as "{count} games"


# --- whole pages ----------------------------------------------------------------------------------


VOID = "br img input link meta line path rect use polyline polygon circle"


class Texts(HTMLParser):
    """The texts of a page, of elements and attributes, without logs."""

    def __init__(self, content):
        super().__init__()
        self.found = set()
        self._stack = []
        self.feed(content.decode())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in VOID.split():
            self._stack.append(tag)
        shown = [values.get(key) for key in ("aria-label", "title", "alt", "data-missing", "placeholder")]
        if values.get("property", values.get("name", "")) in {"og:title", "og:description", "description"}:
            shown.append(values["content"])
        self.found.update(text for text in shown if text)

    def handle_endtag(self, tag):
        while self._stack and self._stack.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style", "pre", "code", "noscript"}.intersection(self._stack):
            self.found.add(" ".join(data.split()))


@cache
def make_all_pages(lang):
    """Make a page of every kind."""
    entries = {name: BotEntry(name=name, author="Ada", club="Chess", category="Junior", team="A") for name in BOTS}
    endings = ("flag_taken", "crash", "no_moves", "resigned", "ply_limit", "no_attack_limit", "timeout", "annulled")
    games = [
        make_game(number, BOTS[number % 3], BOTS[(number + 1) % 3], id=f"g{number}", ending=ending)
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
        settings={"Time control": "60 s + 0.1 s a turn, deployment 5 s", "Clock": "elapsed time, pondering"},
        downloads=[Download("games.csv", "Games (CSV)", lambda: b"")],
        rank_changes=RankChanges(1, {"hunter": 1, "mine": -1}),
        entry=EntryOffer(kit="kit.whl", rules="duel", takes_remote=True, takes_uploads=True),
        secret="abc",
    )
    pages = make_pages(data, records.__getitem__, lambda _: make_log("note"), lang)
    began = Began(make_fixture("hunter", "mine", 3, 7), "2026-12-05T19:00:00")
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
    season = Season(
        file=SeasonFile(name="Cup", best=1, events=[SeasonEvent(file="1"), SeasonEvent(file="2")]),
        events=tuple(events),
        bots={},
    )
    for page in make_season_site(replace(make_season_data(season, with_history=True), lang=lang)):
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


@pytest.mark.heavy
@pytest.mark.parametrize("lang", ["fr", "it", "nl"])
def test_every_page_can_be_written_in_every_language(lang):
    for path, content in make_all_pages(lang).items():
        assert f'<html lang="{lang}"'.encode() in content, path
        assert b"\\x" not in content, path  # a sign of a text that is taken for one that does not print
