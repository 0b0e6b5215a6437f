"""The files of languages: the same texts in the same order, each used somewhere; those that a language lacks are listed."""

import ast
import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from arbiter.games.catalogue import RULE_SETS
from arbiter.languages import catalogue
from arbiter.languages.catalogue import LANGUAGES, list_texts, read_language
from arbiter.languages.phrase import heading, join_phrases, name_code, phrase

ROOT = Path(__file__).parents[2]
OTHERS = [lang for lang in LANGUAGES if lang != "en"]
MISSING = """
pages: sequential_test likelihood likelihood_of results_file digest_file signature_file excused network
  machines_playing machines_waiting machines_pace
tables: los llr elo score_percent by verdict playing voided speed a_minute match_of candidates pairs_of_games
  speed_of_a_core deployments_of sprt sprt_candidates not_decided not_decided_yet accepted later_pairs ahead
  ahead_or_little_behind ahead_by behind behind_or_little_ahead behind_by verdict_of_forfeits earlier_test
  tests_chosen_late forfeits_count no_other_games without_forfeits without_forfeits_elo corrected corrected_candidates
  scores_by_colour ended_by_repeats new_games_book new_games_setups voids audited excused void_sandbox_killed
  void_out_of_memory void_killed void_lost_connections void_error void_lost void_refused void_stopped state_counts
reasons: flag_taken no_pieces no_moves no_attackers no_pieces_left all_blocked no_attackers_left agreed resigned
  disallowed too_late.cut_by_arbiter arbiter_failed worker_lost result_refused audit_differs author_banned no_room
  check_too_long check_failed unusable forfeits_often stated superseded quarantined tried_again by_ruling
"""
"""The texts that no language but English has: those of people who test bots, and of seldom cases."""
MISSING_IN = {}
"""Further ones by language."""


def read_file(lang):
    text = (Path(catalogue.__file__).parent / f"{lang}.toml").read_text("utf-8")
    return {section: texts for section, texts in tomllib.loads(text).items() if isinstance(texts, dict)}


def placeholders(text):
    return {field for _, field, _, _ in Formatter().parse(text) if field}


@pytest.mark.parametrize("lang", OTHERS)
def test_the_texts_that_a_language_lacks_are_listed(lang):
    sections = re.findall(r"^(\w+): ((?:.|\n )*)", MISSING, re.MULTILINE)
    wanted = {f"{section}.{key}" for section, keys in sections for key in keys.split()}
    assert list_texts("en") - list_texts(lang) == wanted | MISSING_IN.get(lang, set())


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_has_the_texts_of_english_in_their_order(lang):
    """A text of the rules may have a form for an edition, with the name of its rule set."""
    editions = {ruleset.name for ruleset in RULE_SETS}
    english, found = read_file("en"), read_file(lang)
    assert [section for section in found if section != "titles"] == [section for section in english if section in found]
    for section, texts in found.items():
        if section in {"editions", "titles"}:
            continue
        wanted = english[section]
        forms = {key for key in texts if key.rpartition(".")[0] in wanted and key.rpartition(".")[2] in editions}
        assert [key for key in texts if key not in forms] == [
            key for key in wanted if key in texts and key not in forms
        ]
        for key, text in texts.items():
            original = wanted[key.rpartition(".")[0] if key in forms else key]
            more = {"count", "ending", "flag"}
            assert placeholders(text) - more == placeholders(original) - more, key
            assert [text.count(sign) for sign in "[`"] == [original.count(sign) for sign in "[`"], key
            assert section == "reasons" or " | " not in text or " | " in original or "{count}" in original, key


def test_no_section_has_a_text_of_all_sections():
    english = read_file("en")
    sections = ("terminal", "viewer", "play", "desk", "pages", "scripts", "tables")
    assert {f"{one}.{key}" for one in sections for key in english["words"] if key in english[one]} == set()


MADE = """
keys.footer_ terminal.head_ terminal.legend_ terminal.outcome_ viewer.theme_ acts. story.turning_ play.act_ play.line_
play.option_ play.over_ play.phase_ play.place_ play.rule_ play.style_ desk.contest_ desk.invitation_ desk.mode_
desk.scope_ desk.state_ pages.down_ pages.games_ pages.highlight_ pages.in_ pages.lost_by pages.up_ pages.why_
pages.won_by words.option_ words.remark_ tables.ordinal tables.points_ tables.reached_ tables.record_
tables.state_ tables.void_ tables.why_ tables.printed-army tables.aggressor-advantage tables.silent-defence
tables.rescue tables.round-robin tables.inactive_
tables.further_games tables.fourth_place tables.last tables.± terminal.remark_
"""
"""Keys that begin like this are made of a code."""


def test_each_text_is_used():
    paths = [path for path in (ROOT / "arbiter").rglob("*") if path.suffix in {".py", ".html", ".js"}]
    used = set(re.findall(r"[\w-]+", "\n".join(path.read_text("utf-8") for path in paths)))
    spared = ("endings.", "pieces.", "reasons.", "rules.", "results.")
    unused = {text for text in list_texts("en") if text.partition(".")[2] not in used}
    assert sorted(text for text in unused if not text.startswith((*spared, *MADE.split()))) == []


def list_keys(node):
    return (
        [*list_keys(node.body), *list_keys(node.orelse)] if isinstance(node, ast.IfExp) else [getattr(node, "value", 0)]
    )


def test_each_phrase_has_a_text():
    """Otherwise a phrase of a seldom case fails when it is made."""
    keys = {
        key
        for path in (ROOT / "arbiter").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"phrase", "heading"} and node.args
        for key in list_keys(node.args[0])
        if isinstance(key, str)
    }
    assert len(keys) > 100
    assert keys - set(read_language("en").tables) == set()


def test_a_phrase_is_written_in_each_language():
    german, french = map(read_language, ("de", "fr"))
    both = phrase("names", names="rank", last="points")
    assert (both, both.write(german)) == ("rank and points", "rank und points")  # names of bots
    place = phrase("prize_of", places=phrase("ordinal", count=1, ending="st"))
    assert (place, place.write(german), place.write(french)) == ("1st prize", "1. Preis", "1er prix")
    assert join_phrases(", ", ["rank", place]).write(german) == "rank, 1. Preis"
    assert [phrase("count_games", count=count).write(french) for count in range(3)] == [
        "0 partie",
        "1 partie",
        "2 parties",
    ]
    assert (heading("games"), heading("games").write(french)) == ("Games", "Parties")
    assert (name_code("semi-final"), name_code("buchholz-cut-1")) == (
        "semi-final",
        "buchholz-cut-1",
    )


def test_a_text_that_a_language_lacks_is_english():
    found = phrase(
        "sprt_candidates", **dict.fromkeys(("elo0", "elo1", "model", "alpha", "candidates", "each", "beta"), 1)
    )
    assert found.write(read_language("de")) == found
