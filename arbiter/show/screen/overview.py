"""A whole game at a glance, as a viewer may see it: material, share of each army seen, attacks, evaluations."""

from msgspec import Struct

from arbiter.show.cards import CardTable
from arbiter.show.replay.acts import is_attack, is_capture
from arbiter.show.replay.frame import get_evaluation
from arbiter.show.replay.knowledge import Viewer, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.theme import find_value
from protocol.words import BLUE, RED, SEATS, Seat


class Sample(Struct, frozen=True):
    """A game at one frame."""

    material: int
    """Points of the pieces that blue lost, minus those of red."""
    seen: dict[Seat, float]
    """Share of the pieces on the board that their opponent knows, from 0 to 1; empty in a card game."""


class Overview:
    """Samples and events of a replay, for one viewer.  They are kept, and the replay may grow."""

    def __init__(self, replay: Replay, viewer: Viewer) -> None:
        self._replay = replay
        self._viewer = viewer
        self._samples: dict[int, Sample] = {}
        self._attacks: dict[int, bool] = {}
        self._evaluations: dict[Seat, dict[int, float]] = {}
        self._read = 0

    def sample(self, number: int) -> Sample:
        """Return the sample of a frame."""
        if number not in self._samples:
            sample = self._take_sample(number)
            if not number:  # the setup of a game in progress changes
                return sample
            self._samples[number] = sample
        return self._samples[number]

    def attacks(self) -> dict[int, bool]:
        """Return the frames of attacks, each with True if a piece was lost."""
        self._read_acts()
        return self._attacks

    def evaluations(self) -> dict[Seat, dict[int, float]]:
        """Return the evaluations by the seats that sent any, and by frame."""
        self._read_acts()
        return {seat: self._evaluations[seat] for seat in SEATS if seat in self._evaluations}

    def _read_acts(self) -> None:
        for number in range(self._read + 1, len(self._replay)):
            act = self._replay.act(number)
            if act is None:
                continue
            if is_attack(act):
                self._attacks[number] = is_capture(act)
            for seat, value in get_evaluation(act.entry, self._viewer).items():
                self._evaluations.setdefault(seat, {})[number] = value
        self._read = self._replay.last

    def _take_sample(self, number: int) -> Sample:
        view = self._replay.view(number, self._viewer)
        lost = {
            seat: sum(find_value(rank) * count for rank, count in view.captured.get(seat, {}).items()) for seat in SEATS
        }
        seen: dict[Seat, float] = {}
        if not isinstance(view, CardTable):
            known = frozenset(self._replay.known_places(number, self._viewer))
            for seat in SEATS:
                own = sees_secrets_of(self._viewer, seat)
                pieces = [piece for piece in view.pieces if piece.seat == seat]
                count = sum(piece.place in known if own else piece.rank is not None for piece in pieces)
                seen[seat] = count / max(1, len(pieces))
        return Sample(lost[BLUE] - lost[RED], seen)
