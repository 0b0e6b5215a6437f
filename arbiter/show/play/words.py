"""The texts and names that the page on which people play needs in one language."""

from collections.abc import Sequence
from functools import cache

import msgspec

from arbiter.games.catalogue import RULE_SETS
from arbiter.games.ranks import RANKS, Trait
from arbiter.languages.catalogue import LANGUAGES, read_language
from arbiter.show.boards import write_rank
from arbiter.show.language import SentenceWriter
from arbiter.show.theme import THEMES
from protocol.words import SEATS


@cache
def write_texts(lang: str) -> bytes:
    """Write the texts of invitations, and of authors and organisers, in one of the LANGUAGES as JSON."""
    languages = {one: read_language(one).name for one in LANGUAGES}
    return msgspec.json.encode({"lang": lang, "languages": languages, "texts": read_language(lang).desk})


@cache
def write_words(lang: str, presets: Sequence[str]) -> bytes:
    """Write the words of one of the LANGUAGES as JSON, with deployments drawn as rows."""
    language = read_language(lang)
    writer = SentenceWriter(lang)
    writers = {rules.name: SentenceWriter(lang, rules.name) for rules in RULE_SETS}
    ranks = {rules.name: [rank.id for rank in rules.ranks] for rules in RULE_SETS}
    words = {
        "lang": lang,
        "languages": {one: read_language(one).name for one in LANGUAGES},
        "themes": {name: writer.write_theme(name) for name in THEMES},
        "texts": language.play | {f"ending_{ending}": text for ending, text in language.endings.items()},
        "board": language.board,
        "acts": language.acts,
        "yours": language.yours,
        "labels": {name: one.labels() for name, one in writers.items()},
        "names": {
            name: {seat: {rank: one.write_name(seat, rank) for rank in ranks[name]} for seat in SEATS}
            for name, one in writers.items()
        },
        "signs": {rank: write_rank(rank) for rank in RANKS},
        "fixed": [rank for rank in RANKS if RANKS[rank].has(Trait.IMMOVABLE)],
        "runners": [rank for rank in RANKS if RANKS[rank].has(Trait.RUNNER)],
        "presets": presets,
    }
    return msgspec.json.encode(words)
