"""What people call the pieces, in the languages of the 2011 booklet (its lists of the whole army)."""

from collections.abc import Callable, Mapping
from typing import Final

from arbiter.errors import unknown_name
from arbiter.games.catalogue import find_ruleset
from arbiter.show.boards import sign
from protocol.words import SEATS, RankId, Seat

# The marksman and the berserker stand in no booklet of these languages: their names are this arbiter's own.
NAMES: Final[dict[str, dict[RankId, str]]] = {
    "en": {
        "marshal": "Marshal",
        "general": "General",
        "colonel": "Colonel",
        "major": "Major",
        "marksman": "Marksman",
        "captain": "Captain",
        "berserker": "Berserker",
        "lieutenant": "Lieutenant",
        "sergeant": "Sergeant",
        "miner": "Miner",
        "scout": "Scout",
        "spy": "Spy",
        "infiltrator": "Infiltrator",
        "bomb": "Bomb",
        "flag": "Flag",
    },
    "de": {
        "marshal": "Feldmarschall",
        "general": "General",
        "colonel": "Oberst",
        "major": "Major",
        "marksman": "Scharfschütze",
        "captain": "Hauptmann",
        "berserker": "Berserker",
        "lieutenant": "Leutnant",
        "sergeant": "Unteroffizier",
        "miner": "Mineur",
        "scout": "Aufklärer",
        "spy": "Spionin",
        "infiltrator": "Infiltrant",
        "bomb": "Bombe",
        "flag": "Fahne",
    },
    "nl": {
        "marshal": "Maarschalk",
        "general": "Generaal",
        "colonel": "Kolonel",
        "major": "Major",
        "marksman": "Scherpschutter",
        "captain": "Kapitein",
        "berserker": "Berserker",
        "lieutenant": "Luitenant",
        "sergeant": "Sergeant",
        "miner": "Mineur",
        "scout": "Verkenner",
        "spy": "Spionne",
        "infiltrator": "Infiltrant",
        "bomb": "Bom",
        "flag": "Vlag",
    },
    "fr": {
        "marshal": "Maréchal",
        "general": "Général",
        "colonel": "Colonel",
        "major": "Commandant",
        "marksman": "Tireur d'élite",
        "captain": "Capitaine",
        "berserker": "Berserker",
        "lieutenant": "Lieutenant",
        "sergeant": "Sergent",
        "miner": "Démineur",
        "scout": "Éclaireur",
        "spy": "Espionne",
        "infiltrator": "Infiltré",
        "bomb": "Bombe",
        "flag": "Drapeau",
    },
    "it": {
        "marshal": "Maresciallo",
        "general": "Generale",
        "colonel": "Colonnello",
        "major": "Comandante",
        "marksman": "Tiratore scelto",
        "captain": "Capitano",
        "berserker": "Berserker",
        "lieutenant": "Tenente",
        "sergeant": "Sergente",
        "miner": "Artificiere",
        "scout": "Esploratore",
        "spy": "Spia",
        "infiltrator": "Infiltrato",
        "bomb": "Bomba",
        "flag": "Bandiera",
    },
}
LANGUAGES: Final = tuple(NAMES)
DEFAULT_LANGUAGE: Final = "en"
_SEVERAL: Final = ","
_NOUNS_ARE_CAPITAL: Final = frozenset({"de"})

Labels = Mapping[Seat, Mapping[RankId, str]]
Naming = Callable[[Seat, RankId], str]  # what people call a seat's pieces of a rank, in a sentence


def name(rank_id: RankId, lang: str = DEFAULT_LANGUAGE) -> str:
    """Name a rank in one of the LANGUAGES.  Raises ConfigError."""
    if lang not in NAMES:
        raise unknown_name("language", lang, LANGUAGES)
    return NAMES[lang][rank_id]


def by_rank(seat: Seat, rank: RankId) -> str:
    """Call a piece by its rank alone."""
    return rank


def naming(rules: str, lang: str = DEFAULT_LANGUAGE) -> Naming:
    """Name the pieces of a rule set in sentences: by figure, where an edition prints one, else by rank.

    Raises ConfigError.
    """
    figures = _figures(rules)

    def named(seat: Seat, rank: RankId) -> str:
        figure = figures[seat].get(rank)
        return f"{figure} ({sign(rank)})" if figure else _in_a_sentence(rank, lang)

    return named


def labels(rules: str, lang: str = DEFAULT_LANGUAGE) -> Labels:
    """Name each seat's pieces by themselves, the highest first: `Marshal`, in some rule sets `Yoda`.

    Raises ConfigError.
    """
    figures = _figures(rules)
    return {
        seat: {rank: figures[seat].get(rank, name(rank, lang)) for rank in NAMES[DEFAULT_LANGUAGE]} for seat in SEATS
    }


def _figures(rules: str) -> dict[Seat, dict[RankId, str]]:
    """Return the figures an edition prints; where several share a rank nobody can tell which a piece is."""
    printed = find_ruleset(rules).figures
    return {
        seat: {rank: figure for rank, figure in printed.get(seat, {}).items() if _SEVERAL not in figure}
        for seat in SEATS
    }


def _in_a_sentence(rank: RankId, lang: str) -> str:
    written = name(rank, lang)
    return written if lang in _NOUNS_ARE_CAPITAL else written.lower()
