"""A policy as a bot: it receives the same observations as in the environment.  Needs no PettingZoo."""

from collections.abc import Callable
from functools import cache
from random import Random

from arbiter.games.ruleset import Overrides
from arbiter.learning.actions import ActionTable, find_board_game
from arbiter.learning.planes import Layout, Observation, SeatPlanes
from protocol.bot import Choice, Chooser, Game, Player, Turn, deploy_at_random, run
from protocol.words import AnyAction, AnyFact, Deploy, Place, RankId

Policy = Callable[[Observation, Random], int]
"""Chooses the number of a legal action; the generator has the seed that the arbiter sent."""


def run_policy(policy: Policy, *, name: str, deploy: Chooser | None = deploy_at_random, history: int = 0) -> None:
    """Play game after game with a policy over stdin and stdout, in any board game.

    `deploy` chooses the deployments; with None the policy places the pieces one by one, as in the environment.
    `history` is that of the environment in which the policy was trained.
    """
    run(new_player_class(policy, deploy, history), name=name, wants=["legal"])


def new_player_class(policy: Policy, deploy: Chooser | None = deploy_at_random, history: int = 0) -> type[Player]:
    """Return the class of a bot that plays a policy, for `protocol.bot.run`."""

    class PolicyPlayer(_PolicyPlayer):
        def __init__(self, game: Game) -> None:
            super().__init__(game, policy, deploy, history)

    return PolicyPlayer


class _PolicyPlayer(Player):
    """One game of a policy."""

    def __init__(self, game: Game, policy: Policy, deploy: Chooser | None, history: int) -> None:
        super().__init__(game)
        rules = game.rules
        deploys = deploy is None
        self._policy = policy
        self._deploy = deploy
        self._table = _list_actions(rules.id, tuple(rules.options), deploys=deploys)
        limits = Overrides(no_attack_plies=rules.no_attack_plies)
        ruleset = find_board_game(rules.id, rules.options, limits)
        self._planes = SeatPlanes(Layout(ruleset, deploys=deploys, history=history), game.seat)

    def hear(self, fact: AnyFact) -> None:
        self._planes.note_facts((fact,))

    def deploy(self, turn: Turn) -> AnyAction:
        deployment = self._place_pieces(turn) if self._deploy is None else self._deploy(turn)
        action = deployment.action if isinstance(deployment, Choice) else deployment
        self._planes.note_action(action)
        return action

    def _place_pieces(self, turn: Turn) -> Deploy:
        squares = self._table.placements[turn.seat]
        army: list[RankId] = [rank for rank, count in turn.rules.army.items() for _ in range(count)]
        placed: dict[Place, str] = {}
        for rank in army:
            mask = self._table.mask(turn.seat, (), placed)
            number = self._policy({"observation": self._planes.observe("setup"), "action_mask": mask}, turn.rng)
            place = squares[number - self._table.first_placement]
            placed[place] = rank
            self._planes.note_placement(place, rank)
        return Deploy(pieces=placed)

    def choose(self, turn: Turn) -> AnyAction:
        mask = self._table.mask(turn.seat, turn.legal)
        number = self._policy({"observation": self._planes.observe(turn.phase), "action_mask": mask}, turn.rng)
        action = self._table.actions[turn.seat][number]
        self._planes.note_action(action)
        return action


@cache
def _list_actions(rules: str, options: tuple[str, ...], *, deploys: bool) -> ActionTable:
    """Return the numbers of the actions of a rule set, the same object for all games."""
    return ActionTable(find_board_game(rules, options), deploys=deploys)
