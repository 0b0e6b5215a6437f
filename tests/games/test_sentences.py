"""SENTENCES.md: every section of the books is in it, with all of its sentences, and each row names tests that exist."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "arbiter/games/SENTENCES.md").read_text(encoding="utf-8")
SECTIONS = tomllib.loads((ROOT / "tests/data/book_sections.toml").read_text(encoding="utf-8"))
NODE = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def read_tables(chapter):
    """Return the tables of a chapter: for each its rows, and each row by the heads of its columns."""
    (text,) = (part for part in PAGE.split("\n## ") if part.startswith(f"{chapter}\n"))
    tables = []
    for block in re.findall(r"(?:^\|.*\|\n)+", f"{text}\n", re.MULTILINE):
        head, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines())
        tables.append([dict(zip(head, line, strict=True)) for line in lines])
    return tables


def read_sentences():
    """Return the rows of all books, each with its book and the heading of its section."""
    sentences = []
    for book in ("O2000", "US", "CW", "CARD"):
        (rows,) = read_tables(book)
        sentences += [row | {"book": book} for row in rows]
    sections, rows = read_tables("J2011")
    headings = {row["section"]: row for row in sections}
    for row in rows:
        for text in row["texts"].split():
            sentences.append(row | {"book": f"J2011-{text}", "section": headings[row["section"]][text]})
    return sentences


SENTENCES = read_sentences()


@cache
def list_tests(path):
    return {node.name for node in ast.parse((ROOT / path).read_text("utf-8")).body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("book", SECTIONS)
def test_no_sentence_of_a_section_is_missing(book):
    counted = Counter(row["section"] for row in SENTENCES if row["book"] == book)
    assert counted == Counter({section: count for section, count in SECTIONS[book].items() if count})


@pytest.mark.parametrize("book", SECTIONS)
def test_sections_without_rules_are_named(book):
    (text,) = (part for part in PAGE.split("\n## ") if part.startswith(f"{book.partition('-')[0]}\n"))
    (named,) = re.findall(r"Sections without rules: (.*)\.", text)
    for section, count in SECTIONS[book].items():
        assert (section in named) == (count == 0), section


def test_each_sentence_has_a_ruling_and_tests_that_exist():
    for row in SENTENCES:
        assert row["sentence"].endswith((".", ".)"))
        assert row["ruling"].startswith(("as written", "[", "`")), row
        nodes = NODE.findall(row["test"])
        if row["test"].startswith(("not refereed: ", "open: ")):
            assert not nodes
            continue
        assert nodes, row
        assert row["test"] == ", ".join(f"`{path}::{name}`" for path, name in nodes)
        assert [name for path, name in nodes if name not in list_tests(path)] == [], row


def test_a_ruling_names_a_row_or_a_section():
    folder = ROOT / "arbiter/games"
    pages = {name: (folder / name).read_text("utf-8") for name in ("README.md", "RULINGS.md")}
    starts = {"README.md": "\n| {} |", "RULINGS.md": "\n## {}\n"}
    links = {link for row in SENTENCES for link in re.findall(r"\[([^]]+)\]\(([A-Z]+\.md)#", row["ruling"])}
    assert [name for name, page in links if starts[page].format(name) not in pages[page]] == []


def test_open_sentences_are_listed():
    listed = PAGE.partition("\n## Open sentences\n")[2]
    opened = [row for row in SENTENCES if row["test"].startswith("open: ")]
    assert opened
    assert listed.count("\n- ") == len(opened)
    for row in opened:
        assert f'- {row["book"]} "{row["section"]}": {row["sentence"]}' in listed


def test_a_page_of_the_rules_names_no_sentence_twice():
    rows = [tuple(row[column] for column in ("book", "section", "sentence")) for row in SENTENCES]
    assert [row for row, count in Counter(rows).items() if count > 1] == []
