"""What the pages for people say is true: commands run, links lead somewhere, examples load, keys are explained."""

import re
import shlex
import shutil
from pathlib import Path

import msgspec
import pytest
from cli.desk import call

from arbiter.time_control import TimeSettings
from arbiter.tournament.commands import BotEntry
from arbiter.tournament.config import Draws, RulesTable, Tournament, load
from arbiter.tournament.points import Points
from arbiter.tournament.stage_tables import StageTable

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("[!.]*/**/*.md"))]
FOREIGN = {"node_modules", "build", "dist"}
TOURNAMENTS = ROOT / "tournaments" / "README.md"
TABLES = {
    "": Tournament,
    "stages": StageTable,
    "rules": RulesTable,
    "draws": Draws,
    "time": TimeSettings,
    "points": Points,
    "bots": BotEntry,
}
# Pages whose commands are tried, in order, each in its own copy of what it speaks of.
TRIED = ["README.md", "tournaments/README.md", "sample_bots/README.md", "protocol/README.md"]


def blocks(text, language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(text):
    """Return the command lines of a page: those of the arbiter behind a `$`, and all of its sh blocks."""
    prompted = [line[2:] for block in blocks(text, "console") for line in block.splitlines() if line.startswith("$ ")]
    return prompted + [line for block in blocks(text, "sh") for line in block.splitlines()]


def name_of(path):
    return str(path.relative_to(ROOT))


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Work in a copy of what the pages speak of."""
    for folder in ("tournaments", "sample_bots"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("results", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fewer_games(words):
    """Play two games where a page plays many: the command is tried, not the bot."""
    if "--games" in words:
        words[words.index("--games") + 1] = "2"
    return words


def run(line):
    words = shlex.split(line)
    assert words[0] == "arbiter", f"nobody tries {line!r}"
    result = call(*fewer_games(words[1:]))
    assert result.exit_code == 0 or words[1] == "doctor", f"{line}: {result.stderr}"


@pytest.mark.parametrize("page", TRIED)
def test_the_commands_of_a_page_run(copy, page):
    lines = commands((ROOT / page).read_text(encoding="utf-8"))
    if page != "README.md":
        call("run", "tournaments/demo.toml")  # which that page has just told how to
    for line in lines:
        run(line)


def test_pages_have_commands_to_try():
    assert all(commands((ROOT / page).read_text(encoding="utf-8")) for page in TRIED[:3])


@pytest.mark.parametrize("page", [page for page in PAGES if not FOREIGN & set(page.parts)], ids=name_of)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in link and "@" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("number", range(len(blocks(TOURNAMENTS.read_text(encoding="utf-8"), "toml"))))
def test_the_examples_of_a_tournament_load(tmp_path, number):
    path = tmp_path / "example.toml"
    path.write_text(blocks(TOURNAMENTS.read_text(encoding="utf-8"), "toml")[number], encoding="utf-8")
    assert load(path).name


@pytest.mark.parametrize("path", sorted((ROOT / "tournaments").rglob("*.toml")), ids=name_of)
def test_the_tournaments_that_come_with_it_load(path):
    assert load(path).bots


@pytest.mark.parametrize(
    "key",
    [(table, field.name) for table, shape in TABLES.items() for field in msgspec.structs.fields(shape)],
    ids=".".join,
)
def test_every_key_of_the_tournament_file_is_explained(key):
    table, name = key
    text = TOURNAMENTS.read_text(encoding="utf-8")
    assert re.search(rf"`{name}`|`\[+{name}\]+`", _section(text, table)), f"{table}.{name} is not on {TOURNAMENTS}"


def _section(text, table):
    """Return the section about a table, or the whole page for the keys that stand in none."""
    found = re.search(rf"^### `\[+{table}\]+`.*?(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found or not table, f"there is no section about [{table}]"
    return found[0] if found else text


def test_a_key_that_is_not_explained_is_found():
    assert not re.search("`sudden_death`", _section(TOURNAMENTS.read_text(encoding="utf-8"), "time"))
    assert "`bank_s`" not in _section(TOURNAMENTS.read_text(encoding="utf-8"), "bots")
