"""The rules alone: random play with lists of legal actions, acts without lists, and verification of records."""

import time
from random import Random

from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.record import ActEntry, GameHeader, GameResult, RecordWriter
from arbiter.verify import verify
from benchmarks.measured import Measured
from protocol.words import AnyAction, Deploy, Seat

GAMES = 30
REPEATS, SHORT_REPEATS = 7, 3
GAME = find_game("original")
EMPTY_LOOP = compile("for _ in range(10_000_000): pass", "a plain script", "exec")
NOMINAL_S = 0.2  # time of the empty loop on the machine for which the targets are set

Acts = list[tuple[Seat, AnyAction]]


def random_deployment(seat: Seat, rng: Random) -> Deploy:
    """Deploy at random."""
    terms = GAME.describe("red")
    army = [rank for rank, count in terms.army.items() for _ in range(count)]
    return Deploy(dict(zip(rng.sample(terms.deploy[seat], len(army)), army, strict=True)))


def play_random_game(seed: int) -> Acts:
    """Play a game at random from full lists of legal actions."""
    rng = Random(seed)
    play = GAME.start(SeededChance(seed))
    acts: Acts = [("red", random_deployment("red", rng)), ("blue", random_deployment("blue", rng))]
    for seat, action in acts:
        play.act(seat, action)
    pick = rng.random
    while play.outcome is None:
        seat = play.to_act[0]
        legal = play.legal_actions(seat)
        action = legal[int(pick() * len(legal))]
        play.act(seat, action)
        acts.append((seat, action))
    return acts


def replay_acts(acts: Acts) -> None:
    """Carry out acts without listing legal actions."""
    act = GAME.start(SeededChance(0)).act
    for seat, action in acts:
        act(seat, action)


def write_record(acts: Acts) -> bytes:
    """Write the record of a game, with all facts."""
    play = GAME.start(SeededChance(0))
    writer = RecordWriter(GameHeader(rules="original", facts=[]))
    for seat, action in acts:
        writer.act(ActEntry(seat=seat, action=action, ms=1.0, facts=play.act(seat, action)))
    return writer.finish(GameResult(winner=play.outcome.winner, ending=play.outcome.ending, plies=play.plies))


def verify_record(data: bytes) -> None:
    """Verify a record; it must be correct."""
    assert verify(data).ok


def measure_best(run: object, arguments: list[object], repeats: int) -> float:
    """Return the seconds of the fastest of several runs over all arguments."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        for argument in arguments:
            run(argument)
        times.append(time.perf_counter() - started)
    return min(times)


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print plies per second, here and converted to the nominal machine."""
    repeats = REPEATS if is_full else SHORT_REPEATS
    loop = measure_best(lambda code: exec(code, {}), [EMPTY_LOOP], repeats)
    print(f"the empty loop of 10 million takes {loop:.3f} s here; nominal is {NOMINAL_S} s")
    acts = [play_random_game(seed) for seed in range(GAMES)]
    records = [write_record(game) for game in acts]
    plies = sum(len(game) - 2 for game in acts)
    rows = (
        ("random play with full lists", measure_best(play_random_game, list(range(GAMES)), repeats), 100_000),
        ("acts alone", measure_best(replay_acts, acts, repeats), 300_000),
        ("verify", measure_best(verify_record, records, repeats), 50_000),
    )
    print(f"{'':30}{'plies/s':>10}{'nominal':>10}{'target':>10}{'ratio':>8}")
    found = []
    for name, seconds, target in rows:
        here = plies / seconds
        nominal = here * loop / NOMINAL_S
        print(f"{name:30}{here:>10.0f}{nominal:>10.0f}{target:>10}{nominal / target:>8.2f}")
        found.append(Measured(f"{name}, on the nominal machine", nominal, "plies/s", "Python", at_least=target))
    return found
