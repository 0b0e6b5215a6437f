from typing import get_args

import pytest

from arbiter.errors import ConfigError
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.languages.catalogue import LANGUAGES, read_language
from arbiter.show.language import SentenceWriter, name_rank
from protocol.words import RankId


def test_the_languages_are_those_of_the_booklet():
    assert LANGUAGES[0] == "en"
    assert set(LANGUAGES) >= {"en", "de", "fr", "it", "nl"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_rank_has_a_name_of_its_own(lang):
    names = read_language(lang).pieces
    assert set(names) == set(get_args(RankId))
    assert len(set(names.values())) == len(names)


def test_a_rank_is_named_in_english_unless_asked_otherwise():
    original = find_ruleset("original")
    assert name_rank(original, "spy") == "Spy"
    assert name_rank(original, "spy", "nl") == "Spionne"
    assert name_rank(original, "miner", "fr") == "Démineur"


def test_an_unknown_language_is_refused():
    with pytest.raises(ConfigError, match=f"unknown language 'xx': there is {', '.join(LANGUAGES)}"):
        name_rank(find_ruleset("original"), "spy", "xx")


@pytest.mark.parametrize(
    ("rules", "lang", "seat", "rank", "called"),
    [
        ("original", "en", "red", "miner", "miner"),
        ("original", "fr", "red", "marksman", "tireur d'élite"),
        ("original", "de", "blue", "miner", "Mineur"),
        ("original", "de", "red", "spy", "Spionin"),
        ("original-2000", "de", "red", "spy", "Spion"),
        ("card-game", "de", "blue", "spy", "Spion"),
        ("us", "de", "red", "marshal", "Marschall"),
        ("us", "de", "red", "scout", "Späher"),
        ("us", "en", "red", "scout", "scout"),
        ("clone-wars", "de", "blue", "spy", "R2-D2 (S)"),
        ("clone-wars", "de", "red", "spy", "R3-S6 (S)"),
        ("clone-wars", "de", "blue", "colonel", "Oberst"),  # it may be either of two figures
        ("clone-wars", "de", "blue", "major", "Major"),  # only one of the three is Kit Fisto
        ("clone-wars", "de", "blue", "lieutenant", "Leutnant"),
        ("clone-wars", "de", "red", "lieutenant", "MagnaGuard (5)"),
        ("clone-wars", "de", "red", "flag", "Basis"),
        ("clone-wars-powers", "en", "blue", "marksman", "Kit Fisto (R)"),
        ("clone-wars-powers", "en", "red", "berserker", "Commando Droid (Z)"),
        ("clone-wars-powers", "en", "blue", "major", "major"),
        ("card-game", "nl", "red", "flag", "vlag"),
    ],
)
def test_a_piece_is_named_in_a_sentence(rules, lang, seat, rank, called):
    assert SentenceWriter(lang, rules).write_name(seat, rank) == called


@pytest.mark.parametrize("ruleset", RULE_SETS, ids=lambda ruleset: ruleset.name)
def test_an_edition_gives_a_name_to_a_rank_that_it_has(ruleset):
    editions = [read_language(lang).editions.get(ruleset.edition or ruleset.name, {}) for lang in LANGUAGES]
    printed = [*editions, *ruleset.figures.values()]
    assert {rank for names in printed for rank in names} <= set(ruleset.army)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_edition_is_one_of_a_rule_set(lang):
    assert set(read_language(lang).editions) <= {ruleset.name for ruleset in RULE_SETS}


def test_blue_is_the_republic():
    figures = find_ruleset("clone-wars-powers").figures
    assert (figures["blue"]["marshal"], figures["red"]["marshal"]) == ("Yoda", "Count Dooku")
    assert {side: names["marksman"] for side, names in figures.items()} == {"red": "Cad Bane", "blue": "Kit Fisto"}
