"""Sentences with names of pieces: whole in each language, or whole in English."""

import re
from pathlib import Path
from string import Formatter

import pytest

from arbiter.record import read_record
from arbiter.show.grid import Square
from arbiter.show.names import LANGUAGES
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.plain_text import make_frames
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.squares import describe_square
from arbiter.show.sentences import SENTENCES

GOLDEN = sorted((Path(__file__).parents[1] / "games" / "golden").glob("*.jsonl"))
ORIGINAL = next(path for path in GOLDEN if path.stem == "original")
OTHERS = [lang for lang in LANGUAGES if lang != "en"]


def placeholders(template):
    return {field for _, field, _, _ in Formatter().parse(template) if field}


def is_whole(sentence, lang):
    """Return True if a sentence is one of a language from its first to its last word."""
    for template in SENTENCES[lang].values():
        parts = re.split(r"\{\w+\}", template)
        if (
            len(parts) > 1
            and any(part.strip() for part in parts)
            and re.fullmatch(".+?".join(map(re.escape, parts)), sentence)
        ):
            return True
    return sentence in SENTENCES[lang].values()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_language_has_each_sentence_with_its_placeholders(lang):
    keys = {key for key in SENTENCES["en"] if not key.endswith("_yours")}
    assert {key for key in SENTENCES[lang] if not key.endswith("_yours")} == keys
    for key, template in SENTENCES[lang].items():
        assert placeholders(template) == placeholders(SENTENCES["en"][key.removesuffix("_yours")]) - (
            {"foe", "seat"} if key.endswith("_yours") else set()
        ), key


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
            assert one.ending == other.ending


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
    assert found == {
        "en": "blue's scout falls to your captain on e5",
        "de": "Aufklärer von Blau fällt auf e5 gegen Hauptmann von Rot",
        "nl": "verkenner van Blauw valt op e5 tegen kapitein van Rood",
        "fr": "éclaireur de Bleu tombe en e5 contre capitaine de Rouge",
        "it": "esploratore di Blu cade in e5 contro capitano di Rosso",
    }
