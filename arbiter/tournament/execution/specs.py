"""The game of a fixture: seeds, starting position, names and settings."""

from collections.abc import Mapping

from msgspec import UNSET
from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.games.board.deployments import position_of
from arbiter.games.chance import Seed, derive_key, derive_seed
from arbiter.games.ruleset import RuleSet
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.game import GameSpec
from arbiter.referee.local_player import Conversation
from arbiter.referee.pool import SharedParts
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.deployment_book import check_deploys, choose_deployments
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.fixture import Fixture
from protocol.words import SEATS


class GameSpecs:
    """Makes the games of a tournament."""

    def __init__(self, tournament: Tournament, seed: Seed, people: Mapping[str, Conversation] | None = None) -> None:
        """Make games with `seed`, the key of the manifest; `people` are the human players by name."""
        self._tournament = tournament
        self._seed = seed
        self._players: dict[str, Program | Conversation] = {program.name: program for program in tournament.programs}
        self._players |= people or {}

    def make(self, fixture: Fixture, speed: float | None = None) -> GameSpec:
        """Make the game of a fixture; `speed` is that of the machine, if it was measured.

        Both games of a pair have the same seed and starting position, but the seeds of the bots differ.
        """
        tournament = self._tournament
        names = fixture.bots
        pairing = sorted(names.values())
        stage = () if fixture.stage == 1 else (f"stage {fixture.stage}",)
        seed = derive_key(self._seed, *pairing, fixture.pair, *stage)
        position = tournament.file.position
        deployments: tuple[str, ...] = ()
        if tournament.deployments:
            book_seed = derive_key(self._seed, *pairing, f"setups {fixture.stage}")
            deployments = one, other = choose_deployments(tournament.deployments, book_seed, fixture.pair)
            position = position_of(one, other, check_deploys(tournament.game))
        shared: SharedParts | None = None
        if tournament.has_revealing_pairs:
            shared = SharedParts(seed, frozenset(deployments or (seed,)))
        header = GameHeader(
            id=fixture.id,
            rules=tournament.file.rule_set,
            options=tuple(tournament.file.options),
            overrides=tournament.overrides,
            position=position,
            seed=seed,
            bot_seeds={seat: derive_seed(self._seed, "bot", fixture.id, seat) for seat in SEATS},
            seats={seat: PlayerName(names[seat]) for seat in SEATS},
            time=tournament.file.time_at(speed),
        )
        game = header.game() if tournament.deployments else tournament.game
        spec = make_game_spec(header, game, tournament.file.time, tournament.retries, self._players)
        return replace(spec, shared=shared)


def strip_header(header: GameHeader) -> GameHeader:
    """Return the header of a record without what the players and the game fill in, to play the game again."""
    seats = {seat: PlayerName(header.seats[seat].name) for seat in SEATS}
    return replace(header, first=None, decks=UNSET, facts=None, seats=seats)


def make_game_spec(
    header: GameHeader,
    game: RuleSet,
    time: TimeSettings,
    retries: int,
    players: Mapping[str, Program | Conversation],
) -> GameSpec:
    """Make the game of a header; `time` is for a header without one, `retries` the illegal actions allowed."""
    seed = header.seed or 0
    return GameSpec(
        header=header,
        settings=GameSettings(
            name=f"g{derive_seed(seed, 'name', header.id):014x}",
            game=game,
            seed=seed,
            bot_seeds=header.bot_seeds or {},
            time=header.time or time,
            tries=retries,
        ),
        programs={seat: players[header.seats[seat].name] for seat in SEATS},
    )
