"""The documentation is correct: its commands run, its links work, its examples load, and it explains every key."""

import ast
import inspect
import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from cli.command_line import call, run_served

from arbiter.cli import COMMAND_NAMES
from arbiter.cli.failures import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.clock import TimeSettings
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.config.tournament_file import ClusterTable, Draws, RulesTable, StageTable, TournamentFile
from arbiter.tournament.prizes import PrizeCategory, PrizeTable
from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.season import SeasonEvent, SeasonFile, load_season
from arbiter.tournament.standings.stored_game import Points

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *(page for page in sorted(ROOT.glob("[!.]*/**/*.md")) if not page.is_symlink())]
FOREIGN = {"node_modules", "build", "dist"}
TOURNAMENTS = ROOT / "tournaments" / "README.md"
TABLES = {
    "": TournamentFile,
    "stages": StageTable,
    "rules": RulesTable,
    "draws": Draws,
    "time": TimeSettings,
    "cluster": ClusterTable,
    "points": Points,
    "event": EventTable,
    "prizes": PrizeTable,
    "prizes.categories": PrizeCategory,
    "bots": BotConfig,
    "events": SeasonEvent,
}
# Pages whose commands are run, in order, each page in its own copy of the example tournaments and the sample bots.
PAGES_WITH_COMMANDS = [
    "README.md",
    "tournaments/README.md",
    "sample_bots/README.md",
    *(name for page in PAGES if (name := str(page.relative_to(ROOT))).startswith("docs/")),
]
LONG_PAGE = 100  # lines; from this length on, a page starts with a list of its sections


def find_blocks(text, language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def list_commands(text):
    """Return the command lines of a page: those after a `$` in console blocks, and all lines of sh blocks."""
    prompted = [
        line[2:] for block in find_blocks(text, "console") for line in block.splitlines() if line.startswith("$ ")
    ]
    return prompted + [line for block in find_blocks(text, "sh") for line in block.splitlines()]


def name_of(path):
    return str(path.relative_to(ROOT))


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Change to a folder with copies of the example tournaments and the sample bots."""
    for folder in ("tournaments", "sample_bots"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("results", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def limit_games(words):
    """Reduce the number of games to two, because this tests the command, not the bot."""
    if "--games" in words:
        words[words.index("--games") + 1] = "2"
    return words


def run_command(line):
    words = shlex.split(line)
    if words[0] != "arbiter":
        if shutil.which(words[0]) is None:
            pytest.skip(f"allowed: {words[0]} is not installed")
        subprocess.run(line, shell=True, check=True, timeout=60)
        return
    if "--serve" in words:
        assert run_served(*words[2:]) == 0
        return
    # The tests play without a sandbox, and then a rerun asks before it runs commands from results.
    trust = ["--trust-commands"] if words[1] == "rerun" else []
    result = call(*limit_games(words[1:]), *trust)
    assert result.exit_code == 0 or words[1] == "doctor", f"{line}: {result.stderr}"


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS)
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=3)
def test_the_commands_of_a_page_run(copy, page):
    lines = list_commands((ROOT / page).read_text(encoding="utf-8"))
    if "arbiter run tournaments/demo.toml" not in lines:
        call("run", "tournaments/demo.toml")
    for line in lines:
        run_command(line)


def test_the_pages_contain_commands():
    without = [page for page in PAGES_WITH_COMMANDS if not list_commands((ROOT / page).read_text(encoding="utf-8"))]
    # The commands of the first need people, those of the second train for minutes, and the third names them in tables.
    assert without == ["docs/arena.md", "docs/learning.md", "docs/stability.md"]
    assert len(PAGES_WITH_COMMANDS) > 5


def read_prose(page):
    """Return the text of a page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def list_sections(page, level="#+"):
    """Return the anchors of the headings of a page."""
    headings = re.findall(rf"^{level} (.+)$", read_prose(page), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


OUR_PAGES = [page for page in PAGES if not FOREIGN & set(page.parts)]


@pytest.mark.parametrize("page", OUR_PAGES, ids=name_of)
def test_links_have_a_target(page):
    links = [link for link in re.findall(r"\]\(([^)\s]+)", read_prose(page)) if "://" not in link and "@" not in link]
    targets = [
        (link, page.parent / file if file else page, anchor)
        for link in links
        for file, _, anchor in [link.partition("#")]
    ]
    assert [link for link, path, _ in targets if not path.exists()] == []
    assert [link for link, path, anchor in targets if anchor and anchor not in list_sections(path)] == []


@pytest.mark.parametrize("page", OUR_PAGES, ids=name_of)
def test_the_paths_on_a_page_exist(page):
    paths = re.findall(r"`((?:arbiter|benchmarks|docs|protocol|sample_bots|scripts|tests)/[\w/.-]+)`", read_prose(page))
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", [page for page in OUR_PAGES if page.name != "CHANGELOG.md"], ids=name_of)
def test_the_commands_on_a_page_exist(page):
    assert set(re.findall(r"`arbiter ([a-z][a-z-]*)", read_prose(page))) <= set(COMMAND_NAMES)


def test_the_exit_codes_are_those_of_the_command_line():
    section = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8").partition("\n## Exit codes\n")[2]
    codes = re.findall(r"^\| (\d+) \|", section, re.MULTILINE)
    assert [int(code) for code in codes] == [0, EXIT_NEGATIVE, EXIT_ERROR, EXIT_INTERRUPTED]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    assert len(rows) > 5
    assert set(re.findall("`(.*?)`", " ".join(rows))) <= set(COMMAND_NAMES)


@pytest.mark.parametrize("page", OUR_PAGES, ids=name_of)
def test_a_long_page_starts_with_a_list_of_its_sections(page):
    text = page.read_text(encoding="utf-8")
    if text.count("\n") < LONG_PAGE or page.name == "CHANGELOG.md":
        return
    before = 1 if page == ROOT / "README.md" else 0  # its list is in its first section
    start = "\n## ".join(text.split("\n## ")[: before + 1])
    assert [section for section in list_sections(page, "##")[before:] if f"(#{section})" not in start] == []


@pytest.mark.parametrize("number", range(len(find_blocks(TOURNAMENTS.read_text(encoding="utf-8"), "toml"))))
def test_the_example_tournaments_on_the_page_load(tmp_path, number):
    path = tmp_path / "example.toml"
    path.write_text(find_blocks(TOURNAMENTS.read_text(encoding="utf-8"), "toml")[number], encoding="utf-8")
    assert load_tournament(path).file.name


OTHER_FILES = {"season.toml", "entrants.toml"}


@pytest.mark.parametrize(
    "path", sorted(path for path in (ROOT / "tournaments").rglob("*.toml") if path.name not in OTHER_FILES), ids=name_of
)
def test_the_tournaments_in_the_repository_load(path):
    assert load_tournament(path).file.bots


def test_the_season_in_the_repository_and_on_the_page_loads(tmp_path):
    assert load_season(ROOT / "tournaments/season/season.toml").events
    found = re.search(r'^```\n(name = "Season.*?)^```$', TOURNAMENTS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    path = tmp_path / "season.toml"
    path.write_text(found[1], encoding="utf-8")
    assert load_season(path).prizes


@pytest.mark.parametrize("key", [field.name for field in msgspec.structs.fields(SeasonFile)])
def test_every_key_of_the_season_file_is_explained(key):
    section = TOURNAMENTS.read_text(encoding="utf-8").partition("\n## Season files\n")[2].partition("\n### ")[0]
    assert f"\n| `{key}` |" in section


@pytest.mark.parametrize(
    "key",
    [
        (table, field.name)
        for table, shape in TABLES.items()
        for field in msgspec.structs.fields(shape)
        if field.name not in {"settings", "submitted"}  # the keys of the format, and one that only results contain
    ],
    ids=".".join,
)
def test_every_key_of_the_tournament_file_is_explained(key):
    table, name = key
    text = TOURNAMENTS.read_text(encoding="utf-8")
    assert re.search(rf"`{name}`|`\[+{name}\]+`", find_section(text, table)), f"{table}.{name} is not on {TOURNAMENTS}"


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_every_format_is_explained(form):
    text = TOURNAMENTS.read_text(encoding="utf-8")
    assert f'| `"{form.name}"` | {form.pairings} |' in text
    for row in list_setting_rows(form):
        assert row in text
    for field in form.settings.__struct_fields__:
        assert f"`{field}`" in find_section(text, "stages")


def list_setting_rows(form):
    """List the rows of the settings of a format: what is written below each field, and its default."""
    source = ast.parse(inspect.getsource(form.settings)).body[0].body
    meanings = {
        field.target.id: text.value.value for field, text in pairwise(source) if isinstance(field, ast.AnnAssign)
    }
    name = form.name.capitalize() if form.name == "swiss" else form.name  # a proper noun
    for field in msgspec.structs.fields(form.settings):
        meaning, _, default = " ".join(meanings[field.name].split()).removesuffix(".").partition(". Default: ")
        meaning = meaning[0].lower() + meaning[1:]
        yield f"| `{field.name}` | {name}: {meaning} | {default or f'`{json.dumps(field.default)}`'} |"


def find_section(text, table):
    """Return the section about a table, or the whole page for the keys that are in no table."""
    found = re.search(rf"^### `\[+{table}\]+`.*?(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found or not table, f"there is no section about [{table}]"
    return found[0] if found else text


def test_a_missing_key_is_noticed():
    assert not re.search("`sudden_death`", find_section(TOURNAMENTS.read_text(encoding="utf-8"), "time"))
    assert "`bank_s`" not in find_section(TOURNAMENTS.read_text(encoding="utf-8"), "bots")
