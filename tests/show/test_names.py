from typing import get_args

import pytest

from arbiter.errors import ConfigError
from arbiter.show.names import LANGUAGES, NAMES, name
from protocol.words import RankId


def test_the_languages_are_those_of_the_booklet():
    assert LANGUAGES == ("en", "de", "nl", "fr", "it")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_rank_has_a_name_of_its_own(lang):
    assert set(NAMES[lang]) == set(get_args(RankId))
    assert len(set(NAMES[lang].values())) == len(NAMES[lang])


def test_a_rank_is_named_in_english_unless_asked_otherwise():
    assert (name("spy"), name("spy", "nl"), name("miner", "fr")) == ("Spy", "Spionne", "Démineur")


def test_an_unknown_language_is_the_operators_to_mend():
    with pytest.raises(ConfigError, match="unknown language 'es': there is en, de, nl, fr, it"):
        name("spy", "es")
