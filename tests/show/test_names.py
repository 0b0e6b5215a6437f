from typing import get_args

import pytest

from arbiter.errors import ConfigError
from arbiter.show.names import LANGUAGES, NAMES, make_naming, name_rank
from protocol.words import RankId


def test_the_languages_are_those_of_the_booklet():
    assert LANGUAGES == ("en", "de", "nl", "fr", "it")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_rank_has_a_name_of_its_own(lang):
    assert set(NAMES[lang]) == set(get_args(RankId))
    assert len(set(NAMES[lang].values())) == len(NAMES[lang])


def test_a_rank_is_named_in_english_unless_asked_otherwise():
    assert (name_rank("spy"), name_rank("spy", "nl"), name_rank("miner", "fr")) == ("Spy", "Spionne", "Démineur")


def test_an_unknown_language_is_the_operators_to_mend():
    with pytest.raises(ConfigError, match="unknown language 'es': there is en, de, nl, fr, it"):
        name_rank("spy", "es")


@pytest.mark.parametrize(
    ("rules", "lang", "seat", "rank", "called"),
    [
        ("original", "en", "red", "miner", "miner"),
        ("original", "fr", "red", "marksman", "tireur d'élite"),
        ("original", "de", "blue", "miner", "Mineur"),
        ("clone-wars", "de", "red", "spy", "R2-D2 (S)"),
        ("clone-wars", "de", "blue", "spy", "R3-S6 (S)"),
        ("clone-wars", "de", "red", "colonel", "Oberst"),  # it may be either of two figures
        ("clone-wars", "de", "red", "lieutenant", "Leutnant"),
        ("card-game", "nl", "red", "flag", "vlag"),
    ],
)
def test_a_piece_is_named_in_a_sentence(rules, lang, seat, rank, called):
    assert make_naming(rules, lang)(seat, rank) == called
