"""The sentences that contain names of pieces, whole, in every language; all other sentences are English.

A placeholder is filled with a name, a square, a number, or a phrase of the same language.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.show.names import DEFAULT_LANGUAGE, PieceNaming, name_by_rank
from protocol.words import RankId, Seat

_YOURS: Final = "_yours"  # the key of a sentence for the player that acts or owns the piece, if it differs

SENTENCES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "red": "red",
        "blue": "blue",
        "piece": "{seat}'s {name}",
        "piece_yours": "your {name}",
        "unknown": "unknown piece",
        "both_fall": "{attacker} and {defender} both fall on {dst}",
        "falls": "{attacker} falls to {defender} on {dst}",
        "takes": "{attacker} takes {defender} on {dst}",
        "both_stay": "{attacker} attacks {defender} on {dst}, and both stay",
        "strikes_falls": "{attacker} on {src} strikes {defender} on {dst}, which falls",
        "strikes_stays": "{attacker} on {src} strikes {defender} on {dst}, which stays",
        "looks": "{attacker} on {src} looks at {defender} on {dst}",
        "names_rightly": "{attacker} on {src} names {foe}'s piece on {dst} a {name}, rightly, and it falls",
        "names_rightly_yours": "{attacker} on {src} names your piece on {dst} a {name}, rightly, and it falls",
        "names_wrongly": "{attacker} on {src} names {foe}'s piece on {dst} a {name}, wrongly",
        "names_wrongly_yours": "{attacker} on {src} names your piece on {dst} a {name}, wrongly",
        "returns": "{piece} comes back on {dst}",
        "peeks_hand": "{attacker} on {src} looks at {foe}'s hand",
        "peeks_hand_yours": "{attacker} on {src} looks at your hand",
        "peeks_hand_sees": "{attacker} on {src} looks at {foe}'s hand, sees {cards}",
        "peeks_hand_sees_yours": "{attacker} on {src} looks at your hand, sees {cards}",
        "peeks": "{attacker} on {src} looks at {foe}'s {places}",
        "peeks_yours": "{attacker} on {src} looks at your {places}",
        "peeks_sees": "{attacker} on {src} looks at {foe}'s {places}, sees {cards}",
        "peeks_sees_yours": "{attacker} on {src} looks at your {places}, sees {cards}",
        "and": " and ",
        "your_hand": "your hand: {cards}",
        "square_empty": "{place}: no piece.",
        "square_lake": "{place}: a lake.",
        "square_piece": "{place}: {seat} {name}.",
        "square_unknown": "{place}: {seat}, rank unknown.",
        "has_moved": "It has moved.",
        "possible": "Possible ranks: {ranks}.",
        "known_by": "{sign} Its rank is known to {foe}.",
        "hidden_from": "{sign} Its rank is hidden from {foe}.",
        "possible_for": "Possible ranks for {foe}: {ranks}.",
        "titled": "{seat}: {name}, {place}",
        "side": "{seat}: {pieces}",
        "nothing": "nothing",
    },
    "de": {
        "red": "Rot",
        "blue": "Blau",
        "piece": "{name} von {seat}",
        "unknown": "unbekannte Figur",
        "both_fall": "{attacker} und {defender} fallen beide auf {dst}",
        "falls": "{attacker} fällt auf {dst} gegen {defender}",
        "takes": "{attacker} schlägt {defender} auf {dst}",
        "both_stay": "{attacker} greift {defender} auf {dst} an, und beide bleiben",
        "strikes_falls": "{attacker} auf {src} beschießt {defender} auf {dst}: getroffen",
        "strikes_stays": "{attacker} auf {src} beschießt {defender} auf {dst}: nicht getroffen",
        "looks": "{attacker} auf {src} besichtigt {defender} auf {dst}",
        "names_rightly": "{attacker} auf {src} nennt die Figur von {foe} auf {dst} {name}: richtig, sie fällt",
        "names_wrongly": "{attacker} auf {src} nennt die Figur von {foe} auf {dst} {name}: falsch",
        "returns": "{piece} kehrt auf {dst} zurück",
        "peeks_hand": "{attacker} auf {src} besichtigt die Hand von {foe}",
        "peeks_hand_sees": "{attacker} auf {src} besichtigt die Hand von {foe} und sieht {cards}",
        "peeks": "{attacker} auf {src} besichtigt {places} von {foe}",
        "peeks_sees": "{attacker} auf {src} besichtigt {places} von {foe} und sieht {cards}",
        "and": " und ",
        "your_hand": "deine Hand: {cards}",
        "square_empty": "{place}: keine Figur.",
        "square_lake": "{place}: ein See.",
        "square_piece": "{place}: {name} von {seat}.",
        "square_unknown": "{place}: {seat}, Rang unbekannt.",
        "has_moved": "Hat schon gezogen.",
        "possible": "Mögliche Ränge: {ranks}.",
        "known_by": "{sign} Der Rang ist {foe} bekannt.",
        "hidden_from": "{sign} Der Rang ist {foe} nicht bekannt.",
        "possible_for": "Für {foe} mögliche Ränge: {ranks}.",
        "titled": "{seat}: {name}, {place}",
        "side": "{seat}: {pieces}",
        "nothing": "nichts",
    },
    "nl": {
        "red": "Rood",
        "blue": "Blauw",
        "piece": "{name} van {seat}",
        "unknown": "onbekend stuk",
        "both_fall": "{attacker} en {defender} vallen allebei op {dst}",
        "falls": "{attacker} valt op {dst} tegen {defender}",
        "takes": "{attacker} slaat {defender} op {dst}",
        "both_stay": "{attacker} valt {defender} aan op {dst}, en beide blijven staan",
        "strikes_falls": "{attacker} op {src} beschiet {defender} op {dst}: raak",
        "strikes_stays": "{attacker} op {src} beschiet {defender} op {dst}: mis",
        "looks": "{attacker} op {src} bekijkt {defender} op {dst}",
        "names_rightly": "{attacker} op {src} noemt het stuk van {foe} op {dst} {name}: juist, het valt",
        "names_wrongly": "{attacker} op {src} noemt het stuk van {foe} op {dst} {name}: onjuist",
        "returns": "{piece} keert terug op {dst}",
        "peeks_hand": "{attacker} op {src} bekijkt de hand van {foe}",
        "peeks_hand_sees": "{attacker} op {src} bekijkt de hand van {foe} en ziet {cards}",
        "peeks": "{attacker} op {src} bekijkt {places} van {foe}",
        "peeks_sees": "{attacker} op {src} bekijkt {places} van {foe} en ziet {cards}",
        "and": " en ",
        "your_hand": "jouw hand: {cards}",
        "square_empty": "{place}: geen stuk.",
        "square_lake": "{place}: een meer.",
        "square_piece": "{place}: {name} van {seat}.",
        "square_unknown": "{place}: {seat}, rang onbekend.",
        "has_moved": "Heeft al bewogen.",
        "possible": "Mogelijke rangen: {ranks}.",
        "known_by": "{sign} De rang is bekend bij {foe}.",
        "hidden_from": "{sign} De rang is niet bekend bij {foe}.",
        "possible_for": "Mogelijke rangen voor {foe}: {ranks}.",
        "titled": "{seat}: {name}, {place}",
        "side": "{seat}: {pieces}",
        "nothing": "niets",
    },
    "fr": {
        "red": "Rouge",
        "blue": "Bleu",
        "piece": "{name} de {seat}",
        "unknown": "pièce inconnue",
        "both_fall": "{attacker} et {defender} tombent tous deux en {dst}",
        "falls": "{attacker} tombe en {dst} contre {defender}",
        "takes": "{attacker} prend {defender} en {dst}",
        "both_stay": "{attacker} attaque {defender} en {dst}, et les deux restent",
        "strikes_falls": "{attacker} en {src} tire sur {defender} en {dst} : touché",
        "strikes_stays": "{attacker} en {src} tire sur {defender} en {dst} : manqué",
        "looks": "{attacker} en {src} regarde {defender} en {dst}",
        "names_rightly": "{attacker} en {src} nomme la pièce de {foe} en {dst} : {name}, c'est juste, et elle tombe",
        "names_wrongly": "{attacker} en {src} nomme la pièce de {foe} en {dst} : {name}, c'est faux",
        "returns": "{piece} revient en {dst}",
        "peeks_hand": "{attacker} en {src} regarde la main de {foe}",
        "peeks_hand_sees": "{attacker} en {src} regarde la main de {foe} et voit {cards}",
        "peeks": "{attacker} en {src} regarde {places} de {foe}",
        "peeks_sees": "{attacker} en {src} regarde {places} de {foe} et voit {cards}",
        "and": " et ",
        "your_hand": "votre main : {cards}",
        "square_empty": "{place} : aucune pièce.",
        "square_lake": "{place} : un lac.",
        "square_piece": "{place} : {name} de {seat}.",
        "square_unknown": "{place} : {seat}, rang inconnu.",
        "has_moved": "A déjà bougé.",
        "possible": "Rangs possibles : {ranks}.",
        "known_by": "{sign} Son rang est connu de {foe}.",
        "hidden_from": "{sign} Son rang n'est pas connu de {foe}.",
        "possible_for": "Rangs possibles pour {foe} : {ranks}.",
        "titled": "{seat} : {name}, {place}",
        "side": "{seat} : {pieces}",
        "nothing": "rien",
    },
    "it": {
        "red": "Rosso",
        "blue": "Blu",
        "piece": "{name} di {seat}",
        "unknown": "pezzo sconosciuto",
        "both_fall": "{attacker} e {defender} cadono entrambi in {dst}",
        "falls": "{attacker} cade in {dst} contro {defender}",
        "takes": "{attacker} cattura {defender} in {dst}",
        "both_stay": "{attacker} attacca {defender} in {dst}, ed entrambi restano",
        "strikes_falls": "{attacker} in {src} spara a {defender} in {dst}: colpito",
        "strikes_stays": "{attacker} in {src} spara a {defender} in {dst}: mancato",
        "looks": "{attacker} in {src} guarda {defender} in {dst}",
        "names_rightly": "{attacker} in {src} chiama il pezzo di {foe} in {dst} {name}: giusto, e cade",
        "names_wrongly": "{attacker} in {src} chiama il pezzo di {foe} in {dst} {name}: sbagliato",
        "returns": "{piece} ritorna in {dst}",
        "peeks_hand": "{attacker} in {src} guarda la mano di {foe}",
        "peeks_hand_sees": "{attacker} in {src} guarda la mano di {foe} e vede {cards}",
        "peeks": "{attacker} in {src} guarda {places} di {foe}",
        "peeks_sees": "{attacker} in {src} guarda {places} di {foe} e vede {cards}",
        "and": " e ",
        "your_hand": "la tua mano: {cards}",
        "square_empty": "{place}: nessun pezzo.",
        "square_lake": "{place}: un lago.",
        "square_piece": "{place}: {name} di {seat}.",
        "square_unknown": "{place}: {seat}, grado sconosciuto.",
        "has_moved": "Si è già mosso.",
        "possible": "Gradi possibili: {ranks}.",
        "known_by": "{sign} Il grado è noto a {foe}.",
        "hidden_from": "{sign} Il grado non è noto a {foe}.",
        "possible_for": "Gradi possibili per {foe}: {ranks}.",
        "titled": "{seat}: {name}, {place}",
        "side": "{seat}: {pieces}",
        "nothing": "niente",
    },
}
_ON_PAGES: Final = frozenset(
    {
        "red",
        "blue",
        "unknown",
        "square_empty",
        "square_lake",
        "square_piece",
        "square_unknown",
        "has_moved",
        "possible",
        "known_by",
        "hidden_from",
        "possible_for",
        "titled",
        "side",
        "nothing",
    }
)


class SentenceWriter(Struct, frozen=True):
    """Writes sentences in one language, for one viewer."""

    lang: str = DEFAULT_LANGUAGE
    naming: PieceNaming = name_by_rank

    def write(self, key: str, *, is_yours: bool = False, **values: str) -> str:
        """Write a sentence; `is_yours` selects the form for the reader's own piece, if there is one."""
        sentences = SENTENCES[self.lang]
        template = sentences.get(key + _YOURS) if is_yours else None
        return (template or sentences[key]).format(**values)

    def write_seat(self, seat: Seat) -> str:
        return SENTENCES[self.lang][seat]

    def write_name(self, seat: Seat, rank: RankId | None) -> str:
        """Write the name of a piece, or that it is unknown."""
        return self.naming(seat, rank) if rank else SENTENCES[self.lang]["unknown"]

    def write_piece(self, seat: Seat, rank: RankId | None, viewer: str) -> str:
        """Write the name of a piece with its owner."""
        return self.write(
            "piece", is_yours=seat == viewer, seat=self.write_seat(seat), name=self.write_name(seat, rank)
        )


ENGLISH: Final = SentenceWriter()


def write_sentences_script() -> str:
    """Write the sentences of pages in every language as a JavaScript object."""
    shown = {lang: {key: texts[key] for key in sorted(_ON_PAGES)} for lang, texts in SENTENCES.items()}
    return f"window.arbiterSentences = {msgspec.json.encode(shown).decode()};\n"
