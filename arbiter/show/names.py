"""The names of the pieces, in the languages of the 2011 booklet (its lists of the whole army)."""

from collections.abc import Callable, Mapping
from typing import Final

from arbiter.errors import unknown_name
from arbiter.games.catalogue import find_ruleset
from arbiter.games.ruleset import RuleSet
from arbiter.show.boards import write_rank
from protocol.words import SEATS, RankId, Seat

# No booklet has a name for the rank of these figures of the Clone Wars; they are ours, in every language.
OUR_NAMES: Final[frozenset[RankId]] = frozenset({"marksman", "berserker"})
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
PieceNaming = Callable[[Seat, RankId], str]  # the name of a piece within a sentence


def name_rank(ruleset: RuleSet, rank_id: RankId, lang: str = DEFAULT_LANGUAGE) -> str:
    """Return the name of a rank in one of the LANGUAGES, as the edition prints it.  Raises ConfigError."""
    if lang not in NAMES:
        raise unknown_name("language", lang, LANGUAGES)
    return ruleset.names.get(lang, {}).get(rank_id) or NAMES[lang][rank_id]


def name_by_rank(seat: Seat, rank: RankId) -> str:
    """Name a piece by its rank alone."""
    return rank


def make_naming(rules: str, lang: str = DEFAULT_LANGUAGE) -> PieceNaming:
    """Return the names of pieces for sentences: the figure if the edition prints one, else the rank.

    Raises ConfigError.
    """
    ruleset = find_ruleset(rules)
    figures = _find_figures(ruleset)

    def named(seat: Seat, rank: RankId) -> str:
        figure = figures[seat].get(rank)
        if figure:
            return f"{figure} ({write_rank(rank)})"
        written = name_rank(ruleset, rank, lang)
        return written if lang in _NOUNS_ARE_CAPITAL else written.lower()

    return named


def make_labels(rules: str, lang: str = DEFAULT_LANGUAGE) -> Labels:
    """Return the names of each seat's pieces for lists, the highest first: `Marshal`, in some rule sets `Yoda`.

    Raises ConfigError.
    """
    ruleset = find_ruleset(rules)
    figures = _find_figures(ruleset)
    return {
        seat: {rank: figures[seat].get(rank, name_rank(ruleset, rank, lang)) for rank in NAMES[DEFAULT_LANGUAGE]}
        for seat in SEATS
    }


def _find_figures(ruleset: RuleSet) -> dict[Seat, dict[RankId, str]]:
    """Return the figures that an edition prints, if it has one figure for the rank."""
    return {
        seat: {rank: figure for rank, figure in ruleset.figures.get(seat, {}).items() if _SEVERAL not in figure}
        for seat in SEATS
    }
