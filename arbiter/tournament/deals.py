"""The deal of a game: all random choices before it, which follow from the secret of the tournament."""

from msgspec import Struct

from arbiter.games.board.deployments import position_of
from arbiter.games.chance import Seed, SeededChance, derive_key, derive_seed
from arbiter.record import GameHeader
from arbiter.tournament.config.deployment_book import check_deploys, choose_deployments
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.fixture import Fixture
from protocol.words import SEATS, Seat


class Deal(Struct, frozen=True):
    """All random choices before a game."""

    seed: Seed
    bot_seeds: dict[Seat, int]
    first: Seat | None
    """None if the rules name the seat that moves first."""
    position: str | None
    pair_seed: Seed
    """Seed of the first attempt, which both games of a pair have in common unless each has its own."""
    parts: frozenset[int | str]
    """The identity of its decks or deployments."""

    def is_of(self, header: GameHeader) -> bool:
        """Return True if the record with a header is one of a game with this deal."""
        drawn = self.seed, self.bot_seeds, self.position, self.first or header.first
        return drawn == (header.seed, header.bot_seeds, header.position, header.first)


def draw_deal(tournament: Tournament, key: Seed, fixture: Fixture, attempt: int) -> Deal:
    """Draw the deal of a game, by the key of the manifest and the number of its attempts that were voided.

    Both games of a pair have the same seed and starting position unless each has its own, but the seeds of the bots
    differ.  A seat that is drawn at random to move first does so in both games, so each bot moves first in one.
    Only that stays after a voided attempt, in which players may have seen all else.
    """
    pairing = sorted(fixture.bots.values())
    stage = () if fixture.stage == 1 else (f"stage {fixture.stage}",)
    first_seed = pair_seed = derive_key(key, *pairing, fixture.pair, *stage)
    pair = fixture.pair
    if tournament.file.deals == "separate":
        pair_seed = derive_key(key, *pairing, fixture.pair, *stage, f"red {fixture.red}")
        pair = 2 * fixture.pair + pairing.index(fixture.red)
    again = (f"attempt {attempt}",) if attempt else ()
    seed = derive_key(key, fixture.id, *again) if attempt else pair_seed
    position = tournament.file.position
    deployments: tuple[str, ...] = ()
    if tournament.deployments:
        book_seed = derive_key(key, *pairing, f"setups {fixture.stage}")
        deployments = one, other = choose_deployments(tournament.deployments, book_seed, pair, fixture.id, attempt)
        position = position_of(one, other, check_deploys(tournament.game))
    return Deal(
        seed=seed,
        bot_seeds={seat: derive_seed(key, "bot", fixture.id, seat, *again) for seat in SEATS},
        first=tournament.file.first and (tournament.game.first or SeededChance(first_seed).draw_first()),
        position=position,
        pair_seed=pair_seed,
        parts=frozenset(deployments or (seed,)),
    )
