"""Sentences with names of pieces: whole in each language, or whole in English."""

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from arbiter.games.catalogue import RULE_SETS
from arbiter.languages import catalogue
from arbiter.languages.catalogue import LANGUAGES, read_language
from arbiter.record import read_record
from arbiter.show.boards import Square
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.plain_text import make_frames
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import describe_square

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((Path(__file__).parents[1] / "games" / "golden").glob("*.jsonl"))
ORIGINAL = next(path for path in GOLDEN if path.stem == "original")
RULES = {ruleset.name for ruleset in RULE_SETS}
OTHERS = [lang for lang in LANGUAGES if lang != "en"]


def placeholders(template):
    return {field for _, field, _, _ in Formatter().parse(template) if field}


def sentences_of(lang):
    return read_language(lang).board | read_language(lang).acts


def is_whole(sentence, lang):
    """Return True if a sentence is one of a language from its first to its last word."""
    templates = [*sentences_of(lang).values(), *read_language(lang).yours.values()]
    for template in templates:
        parts = re.split(r"\{\w+\}", template)
        if (
            len(parts) > 1
            and any(part.strip() for part in parts)
            and re.fullmatch(".+?".join(map(re.escape, parts)), sentence)
        ):
            return True
    return sentence in templates


TERMS = {  # of the 2011 booklet, and words for the same that it does not use
    "en": ("piece square row board lake rank number", "pawn token field tile"),
    "de": (
        "Figur Feld Reihe Spielbrett Seen Rang Nummer Aufstellung geschlagen Zwei-Feld-Regel Mehr-Feld-Regel",
        "Stein",
    ),
    "nl": ("stuk veld rij speelbord meer rang nummer opstelling sneuvelt tegenstander leger", "pion vakje rooster"),
    "fr": ("pièce case rangée plateau lac grade valeur placement éliminée adverse armée", "rang carré pion"),
    "it": ("pedina casella fila tabellone laghi grado numero schieramento eliminata armata", "pezzo riga scacchiera"),
}


@pytest.mark.parametrize("lang", TERMS)
def test_the_words_are_those_of_the_booklet(lang):
    used, unused = (words.split() for words in TERMS[lang])
    texts = [*read_language(lang).rules.values(), *sentences_of(lang).values()]
    text = re.sub(r"\{\w+\}", "", " ".join(texts)).casefold()
    assert [word for word in used if word.casefold() not in text] == []
    assert [word for word in unused if re.search(rf"\b{word}s?\b", text, re.IGNORECASE)] == []


def test_french_signs_follow_a_space_that_does_not_break():
    """Otherwise a line of a page could begin with a colon or a semicolon."""
    assert [text for text in read_language("fr").rules.values() if re.search(r"(?<!\u00a0)[;:?!](?!\w)", text)] == []


def test_the_sentences_of_the_rules_are_those_of_the_rule_sets():
    used = {f"source_{ruleset.name}" for ruleset in RULE_SETS} | {"source_repetition"}
    used |= {f"power_{power.about}" for ruleset in RULE_SETS for power in ruleset.powers if power.about}
    for ruleset in RULE_SETS:
        used |= {f"option_{option}" for option in ruleset.offers}
        used |= {f"ruling_{key}" for key in ruleset.with_options(ruleset.offers).rulings}
    used |= {"power_teleport", "power_rescue"}
    used |= {f"ruling_{key}" for key in ("two_squares", "chase", "scope", "hidden", "no_moves")}
    kinds = ("source_", "power_", "option_", "ruling_")
    assert {key for key in read_language("en").rules if key.startswith(kinds)} == used


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_form_that_addresses_the_reader_needs_no_more_than_the_sentence(lang):
    templates = sentences_of("en")
    forms = read_language(lang).yours
    assert set(forms) <= set(read_language("en").yours)
    for key, text in forms.items():
        assert placeholders(templates[key]) - {"foe", "seat"} <= placeholders(text) <= placeholders(templates[key]), key


def test_a_language_is_a_file_and_nothing_else():
    folder = Path(catalogue.__file__).parent
    assert sorted(LANGUAGES) == sorted(path.stem for path in folder.glob("*.toml"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "languages/*.toml" in project["tool"]["setuptools"]["package-data"]["arbiter"]


@pytest.mark.parametrize("lang", OTHERS)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
@pytest.mark.slow(keep=4)
def test_no_sentence_mixes_languages(path, lang):
    record = read_record(path.read_bytes())
    for viewer in VIEWERS:
        english = make_frames(record, viewer)
        translated = make_frames(record, viewer, lang=lang)
        for one, other in zip(english, translated, strict=True):
            assert len(one.story) == len(other.story)
            assert [
                text
                for text, twin in zip(other.story, one.story, strict=True)
                if text != twin and not is_whole(text, lang)
            ] == []
            assert len(one.ending) == len(other.ending)


@pytest.mark.parametrize("lang", OTHERS)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_no_description_of_a_square_mixes_languages(lang, viewer):
    replay = Replay(read_record(ORIGINAL.read_bytes()), lang)
    squares = [Square(piece.place, piece) for piece in replay.view(40, viewer).pieces]
    for square in [*squares, Square("c5", None), Square("c6", None, is_lake=True)]:
        text = describe_square(replay, 40, viewer, square)
        for sentence in re.findall(r".+?\.(?= |$)", text):
            assert is_whole(sentence.strip(), lang), sentence


def test_examples():
    record = read_record(ORIGINAL.read_bytes())
    replays = {lang: Replay(record, lang) for lang in LANGUAGES}
    number = next(number for number in range(len(replays["en"])) if replays["en"].frame(number, "red").story)
    found = {lang: replay.frame(number, "red").story[0] for lang, replay in replays.items()}
    examples = {
        "en": "blue's scout falls to your captain on e5",
        "de": "Aufklärer von Blau fällt auf e5 gegen Hauptmann von Rot",
        "nl": "verkenner van Blauw valt op e5 tegen kapitein van Rood",
        "fr": "éclaireur de Bleu tombe en e5 contre capitaine de Rouge",
        "it": "esploratore di Blu cade in e5 contro capitano di Rosso",
    }
    assert {lang: found[lang] for lang in examples} == examples
