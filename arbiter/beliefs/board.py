"""The knowledge of one player of a board game, as a game whose hidden ranks can be drawn at random.

The rules carry out the acts that the facts report, with stand-ins for hidden ranks that lead to the same facts.  So the
memory of the repetition rules, losses, limits and turns are those of the real game.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Final, cast

from msgspec.structs import replace

from arbiter.beliefs.assignments import Assignments, Weigh
from arbiter.beliefs.belief import FalseFacts, KnownAct, Sampled, Weights
from arbiter.games.base import IllegalAction, visible_to
from arbiter.games.board.diagram import Diagram, PlacedPiece
from arbiter.games.board.geometry import ROW_BITS
from arbiter.games.board.play import BoardPlay
from arbiter.games.board.position import LAST_RED_PIECE, SIDE_OF
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.chance import SeededChance
from arbiter.games.contest import Contest
from arbiter.games.fights import FightResult
from arbiter.games.ranks import Trait
from protocol.words import (
    OPPONENT,
    AnyAction,
    AnyFact,
    Attacked,
    Deploy,
    Deployed,
    DrawOffered,
    Guessed,
    Infiltrate,
    Look,
    Looked,
    Move,
    Moved,
    Place,
    Placed,
    RankId,
    Removed,
    Rescue,
    Revealed,
    Seat,
    Stop,
    Strike,
    Struck,
)

_MOST_TRIES: Final = 10_000
_FIRST_KNOWN: Final = 128  # more than there are hidden pieces
_KNOWN: Final = bytes(range(256 - _FIRST_KNOWN))
_FOLLOWING: Final = {
    Moved: (),
    Attacked: (Revealed, Removed),
    Looked: (Revealed,),
    Struck: (Revealed, Removed),
    Guessed: (Revealed, Removed),
    Placed: (Revealed,),
}
"""The facts that can follow the first one of an act; after a fight that the attacker survived, also its move."""


class BoardBelief:
    """The knowledge of one seat of a board game."""

    def __init__(self, ruleset: BoardRules, seat: Seat) -> None:
        self.acts: list[KnownAct] = []
        """The acts so far, with stand-ins for what is hidden."""
        self._ruleset = ruleset
        self._seat: Seat = seat
        self._enemy: Seat = OPPONENT[seat]
        self._side = SIDE_OF[self._enemy]
        self._contest = Contest(ruleset.start(SeededChance(0)))
        self._deployments: list[Deploy] = []
        self._rescues: list[str] = []
        self._places: list[Place] = []  # of the opponent's pieces, in the order of their numbers
        self._hidden: dict[int, int] = {}  # for each hidden piece of the opponent: a mask of the ranks that it can have
        self._returned: dict[int, int] = {}  # numbers of acts that brought back a hidden piece, and the piece
        self._ready: _Prepared | None = None
        self._rank_ids: list[str] = [rank.id for rank in ruleset.ranks]
        self._all = (1 << len(ruleset.ranks)) - 1
        tables = ruleset.tables
        self._movable = sum(1 << kind for kind, moves in enumerate(tables.moves) if moves)
        self._running = sum(1 << kind for kind, runs in enumerate(tables.runs) if runs)
        self._moves = _write_digits(tables.moves)
        self._runs = _write_digits(tables.runs)

    @property
    def _play(self) -> BoardPlay:
        play = self._contest.play
        assert isinstance(play, BoardPlay)  # noqa: S101 - the rules are those of a board game
        return play

    # --- what the seat learns ---------------------------------------------------------------------

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat, before the facts that follow from it."""
        if isinstance(action, Deploy):
            self._deployments.append(action)
        elif isinstance(action, Rescue):
            self._rescues.append(action.rank)

    def note_facts(self, facts: Sequence[AnyFact]) -> None:
        """Note the facts that the seat received up to a question.  Raises FalseFacts."""
        self._ready = None
        try:
            while facts:
                facts = facts[self._note_act(facts) :]
            if self._play.phase in ("rage", "rescue") and self._contest.to_act == (self._enemy,):
                self._act(self._enemy, Stop(), ())  # facts do not contain it
        except (IllegalAction, LookupError, ValueError) as error:
            if isinstance(error, FalseFacts):
                raise
            raise FalseFacts(f"the facts do not follow from the rules: {error}") from error

    def _note_act(self, facts: Sequence[AnyFact]) -> int:
        """Carry out the act that the first facts report; return their number."""
        first = facts[0]
        if isinstance(first, Deployed):
            return self._begin(facts)
        if isinstance(first, DrawOffered):  # an offer with a refusal of a further question, which has no other fact
            if self._play.phase in ("rage", "rescue") and self._contest.to_act == (first.seat,):
                self._act(first.seat, Stop(), facts[:1], offers=True)
            return 1
        following = _FOLLOWING.get(type(first))
        if following is None:
            raise FalseFacts(f"an act of a board game does not begin with the fact {first!r}")
        end = 1
        while end < len(facts) and isinstance(facts[end], following):
            end += 1
        if isinstance(first, Attacked) and not any(
            isinstance(fact, Removed) and (fact.seat, fact.place) == (first.seat, first.src) for fact in facts[1:end]
        ):
            end += isinstance(facts[end], Moved)
        offers = end < len(facts) and isinstance(facts[end], DrawOffered)
        group = facts[: end + offers]
        if self._play.phase in ("rage", "rescue") and self._contest.to_act != (first.seat,):
            self._act(self._contest.to_act[0], Stop(), ())  # facts do not contain it
        returns = facts[end + offers] if end + offers < len(facts) else None
        self._note_ranks(group)
        if isinstance(returns, Placed) and returns.seat == self._enemy and not isinstance(first, Placed):
            assert isinstance(first, Moved | Attacked)  # noqa: S101 - only these end with a rescue
            self._allow(self._piece_at(first.src), ~self._running)  # a runner brings back nobody
            self._stand_in_for_captives()
        self._act(first.seat, self._find_action(group), group, offers=offers)
        return len(group)

    def _act(self, seat: Seat, action: AnyAction, group: Sequence[AnyFact], *, offers: bool = False) -> None:
        """Carry out an act.  Raises FalseFacts if other facts follow from it."""
        facts = self._contest.act(seat, action, offer_draw=offers)
        if (seen := visible_to(self._seat, facts)) != [*group]:
            raise FalseFacts(f"from {action} of {seat} follow {seen}, not {[*group]}")
        self.acts.append(KnownAct(seat, action, facts, offers))
        if isinstance(action, Rescue) and seat == self._enemy:
            piece = self._piece_at(action.dst)
            if piece in self._hidden:
                self._returned[len(self.acts) - 1] = piece
                self._allow(piece, self._movable)

    def _find_action(self, group: Sequence[AnyFact]) -> AnyAction:
        match group[0]:
            case Moved(_, src, dst) | Attacked(_, src, dst):
                return Move(src, dst)
            case Looked(_, src, dst):
                return Look(src, dst)
            case Struck(_, src, dst):
                return Strike(src, dst)
            case Guessed(_, src, dst, rank):
                return Infiltrate(src, dst, rank)
            case Placed(seat, place):
                return Rescue(self._find_returning(group) if seat == self._enemy else self._rescues.pop(0), place)
            case other:
                raise FalseFacts(f"no action has the fact {other!r}")

    # --- deployments ------------------------------------------------------------------------------

    def _begin(self, facts: Sequence[AnyFact]) -> int:
        """Deploy both sides, or begin at a position; return the number of facts."""
        deployed = {fact.seat: fact.places for fact in facts[:2] if isinstance(fact, Deployed)}
        if deployed.keys() != {self._seat, self._enemy}:
            raise FalseFacts("the deployments of both sides become known together")
        self._places = list(deployed[self._enemy])
        if self._deployments:
            end = 2
            own = self._deployments[0]
            # A stand-in for the opponent's deployment, with the immovable pieces behind the others.
            numbers = self._ruleset.board.square
            behind = sorted(self._places, key=numbers.__getitem__, reverse=self._enemy == "blue")
            ranks = sorted(self._ruleset.ranks, key=lambda rank: not rank.has(Trait.IMMOVABLE))
            army = [rank.id for rank in ranks for _ in range(self._ruleset.army.get(rank.id, 0))]
            stand_in = Deploy(pieces=dict(zip(behind, army, strict=True)))
            for seat in (self._seat, self._enemy):
                action = own if seat == self._seat else stand_in
                self._act(seat, action, facts[:end] if seat == self._enemy else ())
        else:
            end = self._begin_at(facts, deployed[self._seat])
        position = self._play.position
        low = self._side * LAST_RED_PIECE
        self._hidden = {piece: self._all for piece in position.board if low < piece <= low + LAST_RED_PIECE}
        for piece in self._play.shown & self._hidden.keys():
            del self._hidden[piece]
        # Hidden pieces may be any: they move and run in the game with stand-ins.
        for square, piece in enumerate(position.board):
            if piece in self._hidden:
                position.movers[self._side] |= self._ruleset.tables.bit[square]
                position.runners[self._side] |= self._ruleset.tables.bit[square]
        return end

    def _begin_at(self, facts: Sequence[AnyFact], own: Sequence[Place]) -> int:
        """Begin at a position; the seat knows its own ranks, and those that both know."""
        end = 2
        ranks: dict[tuple[Seat, Place], RankId] = {}
        while end < len(facts) and isinstance(fact := facts[end], Revealed):
            ranks[fact.seat, fact.place] = fact.rank
            end += 1
        ruleset = self._ruleset
        any_rank = next(rank.id for rank in ruleset.ranks if not rank.has(Trait.IMMOVABLE))
        placed = [
            PlacedPiece(
                ruleset.board.square[place],
                seat,
                ranks.get((seat, place), any_rank),
                is_known=seat == self._enemy and (seat, place) in ranks,
            )
            for seat, places in ((self._seat, own), (self._enemy, self._places))
            for place in places
        ]
        if missing := [place for place in own if (self._seat, place) not in ranks]:
            raise FalseFacts(f"the rank of the own piece on {missing[0]} is unknown: note the deployment first")
        pieces = tuple(sorted(placed, key=lambda piece: piece.square))
        self._ruleset = replace(ruleset, position=Diagram(pieces, ruleset.first))
        self._contest = Contest(self._ruleset.start(SeededChance(0)))
        return end

    # --- ranks ------------------------------------------------------------------------------------

    def _piece_at(self, place: Place) -> int:
        return self._play.position.board[self._ruleset.board.square[place]]

    def _note_ranks(self, group: Sequence[AnyFact]) -> None:
        """Note what the facts of an act show of the opponent's ranks, before it is carried out."""
        first = group[0]
        index = self._ruleset.tables.index
        for fact in group[1:]:
            if isinstance(fact, Revealed) and fact.seat == self._enemy and not isinstance(first, Placed):
                self._learn(fact.place, index[fact.rank])
        if isinstance(first, Moved) and first.seat == self._enemy:
            path = self._ruleset.tables.paths[first.src, first.dst]
            is_run = abs(path.dst - path.src) not in (1, self._ruleset.board.files)
            self._allow(self._piece_at(first.src), self._running if is_run else self._movable)
        elif isinstance(first, Guessed) and first.seat == self._seat and not first.right:
            self._allow(self._piece_at(first.dst), ~(1 << index[first.rank]))
        elif isinstance(first, Attacked) and first.seat == self._seat:
            self._note_fight(first, group)

    def _note_fight(self, attack: Attacked, group: Sequence[AnyFact]) -> None:
        """Note what the result of an attack of this seat shows of a defender that stays hidden."""
        defender = self._piece_at(attack.dst)
        if defender not in self._hidden:
            return
        removed = {(fact.seat, fact.place) for fact in group if isinstance(fact, Removed)}
        attacker_stays = (attack.seat, attack.src) not in removed
        defender_stays = (self._enemy, attack.dst) not in removed
        result = (
            FightResult.ATTACKER if attacker_stays else FightResult.DEFENDER if defender_stays else FightResult.NEITHER
        )
        turn = self._play.turn
        rise = turn.wins if turn is not None else 0
        attacker = self._play.position.rank[self._piece_at(attack.src)]
        tables = self._ruleset.tables
        self._allow(
            defender,
            sum(1 << kind for kind in range(len(self._ruleset.ranks)) if tables.fight(attacker, kind, rise) is result),
        )

    def _learn(self, place: Place, kind: int) -> None:
        """Note the rank of the opponent's piece on a square."""
        piece = self._piece_at(place)
        position = self._play.position
        if piece not in self._hidden:
            if position.rank[piece] != kind:
                raise FalseFacts(f"{place} has another rank than before")
            return
        if not self._hidden.pop(piece) >> kind & 1:
            raise FalseFacts(f"the piece on {place} cannot have this rank")
        position.rank[piece] = kind
        tables = self._ruleset.tables
        bit = tables.bit[self._ruleset.board.square[place]]
        if not tables.moves[kind]:
            position.movers[self._side] &= ~bit
        if not tables.runs[kind]:
            position.runners[self._side] &= ~bit

    def _allow(self, piece: int, mask: int) -> None:
        """Note that a piece has one of some ranks; a hidden piece gets one of them as a stand-in."""
        if piece not in self._hidden:
            return
        self._hidden[piece] &= mask
        if not self._hidden[piece]:
            raise FalseFacts("no rank agrees with all facts of a piece")
        position = self._play.position
        possible = self._hidden[piece]
        position.rank[piece] = (possible & -possible).bit_length() - 1
        if not possible & self._running and piece in position.board:
            square = position.board.index(piece)
            position.runners[self._side] &= ~self._ruleset.tables.bit[square]

    # --- rescues of the opponent ------------------------------------------------------------------

    def _stand_in_for_captives(self) -> None:
        """Give each hidden captured piece of the opponent that may return the stand-in of a rank that can move."""
        position = self._play.position
        for piece in position.captured:
            if piece in self._hidden and (possible := self._hidden[piece] & self._movable):
                position.rank[piece] = (possible & -possible).bit_length() - 1

    def _find_returning(self, group: Sequence[AnyFact]) -> str:
        """Return the rank with which the opponent brings back a piece; a piece of unknown rank gets a stand-in."""
        position = self._play.position
        if len(group) > 1 and isinstance(shown := group[1], Revealed):
            kind = self._ruleset.tables.index[shown.rank]
            for piece in position.captured:  # a hidden one with this rank would have returned instead
                if piece in self._hidden:
                    self._allow(piece, ~(1 << kind))
            return shown.rank
        returning = next(
            piece for piece in position.captured if piece in self._hidden and self._hidden[piece] & self._movable
        )
        possible = self._hidden[returning] & self._movable
        kind = (possible & -possible).bit_length() - 1
        for piece in position.captured:
            if piece in self._hidden:  # which of the hidden ones has returned stays hidden
                self._hidden[piece] = self._all
        position.rank[returning] = kind
        return self._ruleset.ranks[kind].id

    # --- sampling ---------------------------------------------------------------------------------

    def sample(self, rng: Random, weights: Weights | None = None) -> Sampled:
        """Draw the hidden ranks.  Raises FalseFacts if none agree with the facts."""
        if self._ready is None:
            self._ready = self._prepare()
        ready = self._ready
        weigh = None if weights is None else ready.weigh(weights, self._ruleset)
        for _ in range(_MOST_TRIES):
            drawn = ready.assignments.draw(rng)
            if weigh is not None:
                drawn = ready.assignments.reweigh(drawn, rng, weigh)
            contest = ready.contest.copy()
            play = contest.play
            assert isinstance(play, BoardPlay)  # noqa: S101 - as above
            if play.phase == "setup":
                return Sampled(contest)
            # Give the hidden pieces their ranks; fast because all loops run in C.
            ranks = bytes(drawn)
            position = play.position
            side = self._side
            low = side * LAST_RED_PIECE + 1
            position.rank[low : low + len(ready.ranks)] = ready.ranks.translate(ranks.ljust(_FIRST_KNOWN) + _KNOWN)
            position.movers[side] |= int(ready.squares.translate(ranks.translate(self._moves).ljust(256, b"0")), 2)
            position.runners[side] |= int(ready.squares.translate(ranks.translate(self._runs).ljust(256, b"0")), 2)
            is_next = play.to_act == (self._enemy,) and play.phase == "turn"  # then it must have a move
            if play.outcome is not None or (position.has_move(side) if is_next else position.movers[side]):
                return self._describe(contest, play)
        raise FalseFacts("no ranks agree with what was shown")

    def _prepare(self) -> "_Prepared":
        """Find out which ranks are left, and for which pieces."""
        play = self._play
        if play.phase == "setup":
            return _Prepared(self._contest.copy(), Assignments({}, [0]), {}, b"", b"")
        position = play.position
        low = self._side * LAST_RED_PIECE
        numbers = range(low + 1, low + 1 + len(self._places))
        left = Counter({kind: self._ruleset.army.get(rank.id, 0) for kind, rank in enumerate(self._ruleset.ranks)})
        left.subtract(position.rank[piece] for piece in numbers if piece not in self._hidden)
        if self._ruleset.position is not None:  # pieces of the army that are not in the position may be any
            left = +left
        counts = [left[kind] for kind in range(len(self._ruleset.ranks))]
        absent = range(-1, len(self._hidden) - sum(counts) - 1, -1)
        try:
            assignments = Assignments({**self._hidden, **dict.fromkeys(absent, self._all)}, counts)
        except ValueError as error:
            raise FalseFacts(str(error)) from None
        contest = self._contest.copy()
        prepared = contest.play
        assert isinstance(prepared, BoardPlay)  # noqa: S101 - as above
        tables = self._ruleset.tables
        bits = dict.fromkeys(self._hidden, 0)
        bits |= {piece: tables.bit[square] for square, piece in enumerate(position.board) if piece in self._hidden}
        hidden = sum(bits.values())
        mine = prepared.position
        mine.movers[self._side] &= ~hidden
        mine.runners[self._side] &= ~hidden
        for piece, kind in assignments.certain:
            if piece > 0:
                mine.rank[piece] = kind
                mine.movers[self._side] |= bits[piece] * tables.moves[kind]
                mine.runners[self._side] |= bits[piece] * tables.runs[kind]
        drawn = {piece: number for number, piece in enumerate(assignments.pieces)}
        kinds = bytes(drawn.get(piece, _FIRST_KNOWN + mine.rank[piece]) for piece in numbers)
        squares = bytearray(b"\xff" * ROW_BITS * self._ruleset.board.rows)
        for piece, bit in bits.items():
            if bit and piece in drawn:
                squares[-bit.bit_length()] = drawn[piece]
        return _Prepared(contest, assignments, bits, kinds, bytes(squares))

    def _describe(self, contest: Contest, play: BoardPlay) -> Sampled:
        """Describe how the game of a sample began and went, with its ranks in the places of stand-ins."""
        low = self._side * LAST_RED_PIECE + 1
        kinds = bytes(play.position.rank[low : low + len(self._places)])
        actions = partial(self._name_actions, kinds, {**self._returned})
        start = self._ruleset.position
        if start is None:
            return Sampled(contest, actions)
        deployed = self._name_ranks(kinds)
        names = self._ruleset.board.names
        play.opening = tuple(
            replace(one, fact=replace(one.fact, rank=cast("RankId", deployed[one.fact.place])))
            if isinstance(one.fact, Revealed) and one.fact.seat == self._enemy
            else one
            for one in play.opening
        )
        pieces = tuple(
            replace(piece, rank=cast("RankId", deployed[names[piece.square]])) if piece.seat == self._enemy else piece
            for piece in start.pieces
        )
        return Sampled(contest, actions, replace(start, pieces=pieces).write(self._ruleset.board))

    def _name_actions(self, kinds: bytes, returned: Mapping[int, int]) -> dict[int, AnyAction]:
        """Return the actions with ranks of the opponent's pieces, by the numbers of their acts."""
        low = self._side * LAST_RED_PIECE + 1
        actions: dict[int, AnyAction] = {}
        for number, piece in returned.items():
            rescue = self.acts[number].action
            assert isinstance(rescue, Rescue)  # noqa: S101 - as noted
            actions[number] = Rescue(self._rank_ids[kinds[piece - low]], rescue.dst)
        if self._ruleset.position is None:
            actions[1] = Deploy(pieces=self._name_ranks(kinds))
        return actions

    def _name_ranks(self, kinds: bytes) -> dict[Place, str]:
        """Return the deployment of the opponent with its ranks."""
        return dict(zip(self._places, map(self._rank_ids.__getitem__, kinds), strict=True))


def _write_digits(flags: Sequence[bool]) -> bytes:
    """Write a digit for the index of each rank, as a table for `bytes.translate`."""
    return b"".join(b"1" if flag else b"0" for flag in flags).ljust(256, b"0")


class _Prepared:
    """The common parts of all samples between two acts."""

    def __init__(
        self, contest: Contest, assignments: Assignments, bits: Mapping[int, int], ranks: bytes, squares: bytes
    ) -> None:
        self.contest = contest
        self.assignments = assignments
        self.bits = bits
        """The bit of the square of each hidden piece; 0 if it was captured."""
        self.ranks = ranks
        """For each piece: its place in a draw, or its rank, added to _FIRST_KNOWN."""
        self.squares = squares
        """For each square, the highest bit first: the place of its piece in a draw; 255 for others."""

    def weigh(self, weights: Weights, ruleset: BoardRules) -> Weigh:
        """Return the function that weighs ranks for pieces by those for squares."""
        square_of = ruleset.board.square_of_bit
        places = {piece: ruleset.board.names[square_of[bit]] for piece, bit in self.bits.items() if bit}
        ranks = [rank.id for rank in ruleset.ranks]

        def weigh(piece: int, kind: int) -> float:
            given = weights.get(places.get(piece, ""))
            return 1.0 if given is None else given.get(ranks[kind], 0.0)

        return weigh
