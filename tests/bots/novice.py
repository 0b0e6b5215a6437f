"""A correct bot for every rule set; the argument selects one mistake that its author might make."""

import json
import os
import random
import signal
import sys
import threading
import time

MISTAKE = sys.argv[1] if len(sys.argv) > 1 else None


def write(text, end="\n"):
    sys.stdout.write(text + end)
    sys.stdout.flush()


class Novice:
    """Deploys at random and chooses a random legal action."""

    wants = ("legal", "view")

    def __init__(self):
        self.games = 0
        self.seat = None
        self.rules = None
        self.rng = None

    def build_ready(self):
        return {"type": "ready", "protocol": 1, "name": "novice", "wants": list(self.wants)}

    def start_game(self, start):
        self.seat = start["seat"]
        self.rules = start["rules"]
        self.rng = random.Random(start["seed"])

    def choose_deployment(self, ask):
        if "line" in self.rules:
            return {"type": "deploy", "line": [card["place"] for card in ask["view"]["hand"][: self.rules["line"]]]}
        army = [rank for rank, count in self.rules["army"].items() for _ in range(count)]
        squares = self.rng.sample(self.rules["deploy"][self.seat], len(army))
        return {"type": "deploy", "pieces": dict(zip(squares, army, strict=True))}

    def choose_action(self, ask):
        return self.rng.choice(ask["legal"])

    def build_act(self, ask):
        action = self.choose_deployment(ask) if ask["phase"] == "setup" else self.choose_action(ask)
        return {"type": "act", "ask": ask["ask"], "action": action}

    def send(self, message):
        write(json.dumps(message))

    def answer_hello(self):
        self.send(self.build_ready())

    def answer_ask(self, ask):
        self.send(self.build_act(ask))

    def end_game(self, message):
        self.games += 1

    def exit(self):
        sys.exit()

    def receive(self, message):
        match message["type"]:
            case "hello":
                self.answer_hello()
            case "start":
                self.start_game(message)
            case "ask":
                self.answer_ask(message)
            case "over":
                self.end_game(message)
            case "bye":
                self.exit()

    def run(self):
        for line in sys.stdin:
            self.receive(json.loads(line))


# --- the mistakes ---------------------------------------------------------------------------------


class PrintsBanner(Novice):
    def run(self):
        write("Novice 1.0 (c) 2026")
        super().run()


class PrintsDebug(Novice):
    def choose_action(self, ask):
        write(f"choosing among {len(ask['legal'])}")
        return super().choose_action(ask)


class PrintsAfterwards(Novice):
    def answer_ask(self, ask):
        super().answer_ask(ask)
        write("done")


class WritesPrompt(Novice):
    def answer_hello(self):
        write("> ", end="")
        super().answer_hello()


class NeverFlushes(Novice):
    def send(self, message):
        sys.stdout.write(json.dumps(message) + "\n")


class NeverEndsLine(Novice):
    def send(self, message):
        write(json.dumps(message), end="")


class ReadsAllInputFirst(Novice):
    def run(self):
        for line in sys.stdin.read().splitlines():
            self.receive(json.loads(line))


class NeverReads(Novice):
    def run(self):
        time.sleep(3600)


class SleepsAtStart(Novice):
    def answer_hello(self):
        time.sleep(3600)


class StartsLate(Novice):
    def run(self):
        time.sleep(3.2)
        super().run()


class SleepsBeforeMoves(Novice):
    def choose_action(self, ask):
        time.sleep(1.4)
        return super().choose_action(ask)


class ComputesLate(Novice):
    def answer_hello(self):
        end = time.monotonic() + 3.2
        while time.monotonic() < end:
            pass
        super().answer_hello()


class SleepsInSetup(Novice):
    def choose_deployment(self, ask):
        time.sleep(3600)


class FlushesOnlyReady(Novice):
    def answer_ask(self, ask):
        sys.stdout.write(json.dumps(self.build_act(ask)) + "\n")


class SwallowsQuestions(Novice):
    def answer_ask(self, ask):
        """Send no answer."""


class Computes(Novice):
    def answer_hello(self):
        end = time.monotonic() + 3600
        while time.monotonic() < end:
            pass


class Thinks(Novice):
    """Computes for 60 ms about each move, whatever its clock shows."""

    def choose_action(self, ask):
        end = time.process_time() + self.thinking_s(ask["clock"][f"{self.seat}_ms"] / 1000)
        while time.process_time() < end:
            pass
        return super().choose_action(ask)

    def thinking_s(self, bank_s):
        return 0.06


class WaitsForAnotherLine(Novice):
    def answer_hello(self):
        """Send no answer and wait for the next line."""


class WrongNumber(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"ask": ask["ask"] + 1}


class NumberAsText(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"ask": str(ask["ask"])}


class NeverRestartsCount(Novice):
    asked = 0

    def build_act(self, ask):
        self.asked += 1
        return super().build_act(ask) | {"ask": self.asked}


class CapitalTypes(Novice):
    def build_act(self, ask):
        action = {
            key: value.upper() if key == "type" else value for key, value in super().build_act(ask)["action"].items()
        }
        return super().build_act(ask) | {"action": action}


class CapitalRanks(Novice):
    def choose_deployment(self, ask):
        return {
            "type": "deploy",
            "pieces": {place: rank.upper() for place, rank in super().choose_deployment(ask)["pieces"].items()},
        }


class CapitalSquares(Novice):
    def choose_action(self, ask):
        move = super().choose_action(ask)
        return move | {"src": move["src"].upper()}


class SquaresAsNumbers(Novice):
    def choose_action(self, ask):
        move = super().choose_action(ask)
        return move | {"src": [0, 3], "dst": [0, 4]}


class SquaresRowFirst(Novice):
    def choose_action(self, ask):
        return {"type": "move", "src": "4a", "dst": "5a"}


NUMBERS = {"marshal": 10, "general": 9, "miner": 3, "scout": 2, "spy": 1, "bomb": 11, "flag": 0}


class NumericRanks(Novice):
    def choose_deployment(self, ask):
        pieces = super().choose_deployment(ask)["pieces"]
        return {"type": "deploy", "pieces": {place: NUMBERS[rank] for place, rank in pieces.items()}}


class NumericRanksAsText(Novice):
    def choose_deployment(self, ask):
        pieces = super().choose_deployment(ask)["pieces"]
        return {"type": "deploy", "pieces": {place: str(NUMBERS[rank]) for place, rank in pieces.items()}}


class RanksToSquares(Novice):
    def choose_deployment(self, ask):
        return {
            "type": "deploy",
            "pieces": {rank: place for place, rank in super().choose_deployment(ask)["pieces"].items()},
        }


class WrongVersion(Novice):
    def build_ready(self):
        return super().build_ready() | {"protocol": "1"}


class UsesArbiterTypes(Novice):
    def build_ready(self):
        return super().build_ready() | {"type": "hello"}


class BareAction(Novice):
    def build_act(self, ask):
        return super().build_act(ask)["action"]


class ActsAtOnce(Novice):
    def build_ready(self):
        return {"type": "act", "ask": 1, "action": {"type": "resign"}}


class PythonRepr(Novice):
    def send(self, message):
        write(str(message))


class PrettyPrints(Novice):
    def send(self, message):
        write(json.dumps(message, indent=2))


class SendsReadyTwice(Novice):
    def answer_hello(self):
        write(json.dumps(self.build_ready()) + "\n" + json.dumps(self.build_ready()))


class TwoLines(Novice):
    def answer_ask(self, ask):
        line = json.dumps(self.build_act(ask))
        write(line + "\n" + line)


class AnswersStart(Novice):
    def start_game(self, start):
        super().start_game(start)
        self.send({"type": "ok"})


class RepeatsLastAnswer(Novice):
    """Sends the answer to the question before again, and then answers the question."""

    last = None

    def answer_ask(self, ask):
        if self.last is not None:
            self.send(self.last)
        self.last = self.build_act(ask)
        self.send(self.last)


class AnswersOver(Novice):
    def end_game(self, message):
        super().end_game(message)
        self.send({"type": "ok"})


class UnknownField(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"comment": "a good move"}


class MissingField(Novice):
    def build_act(self, ask):
        return {"type": "act", "ask": ask["ask"]}


class UnknownWish(Novice):
    wants = ("legal", "board")


class LongLine(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"note": "x" * 5000}


class ByteOrderMark(Novice):
    def answer_hello(self):
        write("\ufeff", end="")
        super().answer_hello()


class EmptyLine(Novice):
    def send(self, message):
        write("\n" + json.dumps(message))


class UnknownType(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"type": "answer"}


class UnknownAction(Novice):
    def choose_action(self, ask):
        return super().choose_action(ask) | {"type": "walk"}


class NullAction(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"action": None}


class LongNote(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"note": "x" * 201}


class HugeEvaluation(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"eval": 32_000}


class EvaluationAsText(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"eval": "+1.5"}


class TwoAnswersInOneLine(Novice):
    def answer_ask(self, ask):
        line = json.dumps(self.build_act(ask))
        write(line + line)


class NotANumber(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"note": float("nan")}


class TrailingComma(Novice):
    def send(self, message):
        write(json.dumps(message).removesuffix("}") + ",}")


class AnswersWithList(Novice):
    def build_act(self, ask):
        return [super().build_act(ask)]


class TraceOnStdout(Novice):
    def start_game(self, start):
        write("Traceback (most recent call last):\n  File 'novice.py'\nKeyError: 'seat'")


class RaisesException(Novice):
    def choose_action(self, ask):
        return self.rules["best move"]


class NeedsModule(Novice):
    def run(self):
        import no_such_module  # noqa: PLC0415

        no_such_module.play(self)


class NeedsKit(Novice):
    def run(self):
        from protocol.bot import run  # noqa: PLC0415

        run(self)


class NeedsFile(Novice):
    def run(self):
        os.close(os.open("no_such_book.json", os.O_RDONLY))


class WritesFile(Novice):
    def run(self):
        sys.exit("PermissionError: [Errno 13] Permission denied: '/srv/book.json'")


class UsesNetwork(Novice):
    def run(self):
        sys.exit("OSError: [Errno 101] Network is unreachable")


class RunsOutOfMemory(Novice):
    def run(self):
        sys.exit("MemoryError")


class StartsTooManyThreads(Novice):
    def run(self):
        sys.exit("RuntimeError: can't start new thread")


class ExitsAfterAnswer(Novice):
    def answer_ask(self, ask):
        super().answer_ask(ask)
        sys.exit()


class ExitsWithError(Novice):
    def choose_action(self, ask):
        sys.exit("no idea")


class Crashes(Novice):
    def choose_action(self, ask):
        os.kill(os.getpid(), signal.SIGSEGV)


class ClosesStdout(Novice):
    def choose_action(self, ask):
        os.close(1)
        time.sleep(3600)


class OneGame(Novice):
    def end_game(self, message):
        sys.exit()


class IgnoresBye(Novice):
    def exit(self):
        while sys.stdin.readline():
            pass
        time.sleep(3600)


class IgnoresEndOfInput(Novice):
    def run(self):
        super().run()
        time.sleep(3600)


class LeavesProcess(Novice):
    def answer_hello(self):
        if not os.fork():
            os.setsid()
            for number in range(3):
                os.close(number)
            time.sleep(3600)
        super().answer_hello()


class OthersRows(Novice):
    def start_game(self, start):
        super().start_game(start)
        self.seat = "red"


class DeploysNothing(Novice):
    def choose_deployment(self, ask):
        return {"type": "deploy"}


class WrongArmy(Novice):
    def choose_deployment(self, ask):
        self.rules = self.rules | {"army": self.rules["army"] | {"scout": 8}}
        return super().choose_deployment(ask)


class MovesBomb(Novice):
    def choose_action(self, ask):
        bomb = next(piece["place"] for piece in ask["view"]["pieces"] if piece["rank"] == "bomb")
        return {"type": "move", "src": bomb, "dst": bomb[0] + "5"}


class MovesEmptySquare(Novice):
    def choose_action(self, ask):
        return {"type": "move", "src": "a5", "dst": "a6"}


class AcceptsDraws(Novice):
    def choose_action(self, ask):
        return {"type": "accept_draw"}


class ActsForAnotherPhase(Novice):
    def choose_action(self, ask):
        return {"type": "stop"}


class MovesTooFar(Novice):
    def choose_action(self, ask):
        move = super().choose_action(ask)
        return move | {"dst": "d5"}


class FailsOnUnknownFields(Novice):
    def receive(self, message):
        if set(message) - {
            "type",
            "protocol",
            "arbiter",
            "game",
            "rules",
            "seat",
            "opponent",
            "seed",
            "time",
        } and message["type"] not in ("ask", "over"):
            raise KeyError("unknown")
        super().receive(message)


class IgnoresRepetitionRules(Novice):
    """Finds its moves itself and does not know the rules against repetition."""

    def choose_action(self, ask):
        pieces = {piece["place"]: piece for piece in ask["view"]["pieces"]}
        own = [
            piece for piece in pieces.values() if piece["seat"] == self.seat and piece["rank"] not in ("bomb", "flag")
        ]
        steps = [(piece["place"], place) for piece in own for place in self.neighbours(piece["place"])]
        free = [step for step in steps if pieces.get(step[1], {}).get("seat") != self.seat]
        src, dst = self.rng.choice(free)
        return {"type": "move", "src": src, "dst": dst}

    def neighbours(self, place):
        file, row = "abcdefghij".index(place[0]), int(place[1:])
        around = [(file + 1, row), (file - 1, row), (file, row + 1), (file, row - 1)]
        squares = [f"{'abcdefghij'[x]}{y}" for x, y in around if 0 <= x <= 9 and 1 <= y <= 10]
        return [square for square in squares if square not in self.rules["board"]["lakes"]]


class PiecesAsList(Novice):
    def choose_deployment(self, ask):
        return {"type": "deploy", "pieces": list(super().choose_deployment(ask)["pieces"].items())}


class DeploysNoPieces(Novice):
    def choose_deployment(self, ask):
        return {"type": "deploy", "pieces": {}}


class RanksAsObjects(Novice):
    def choose_deployment(self, ask):
        pieces = super().choose_deployment(ask)["pieces"]
        return {"type": "deploy", "pieces": {place: {"rank": rank} for place, rank in pieces.items()}}


class SendsReadyAtStart(Novice):
    def start_game(self, start):
        super().start_game(start)
        self.send(self.build_ready())


class PrintsBytes(Novice):
    def send(self, message):
        write(str(json.dumps(message).encode()))


class FloatNumber(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"ask": float(ask["ask"])}


class WishAsText(Novice):
    def build_ready(self):
        return super().build_ready() | {"wants": "legal"}


class OffersDrawAsAction(Novice):
    def choose_action(self, ask):
        return {"type": "offer_draw"}


class SendsAllLegalActions(Novice):
    def choose_action(self, ask):
        return ask["legal"]


class SendsIndexOfAction(Novice):
    def choose_action(self, ask):
        return self.rng.randrange(len(ask["legal"]))


class ActionAsText(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"action": json.dumps(super().build_act(ask)["action"])}


class EncodesTwice(Novice):
    def send(self, message):
        write(json.dumps(json.dumps(message)))


class WritesPythonWords(Novice):
    def send(self, message):
        write(json.dumps(message | {"author": None}).replace("null", "None"))


class PrintsUnquotedNames(Novice):
    def send(self, message):
        write("{ type: 'ready', protocol: 1, name: 'novice' }")


class PrintsObject(Novice):
    def send(self, message):
        write("[object Object]")


class PrintsNothingFound(Novice):
    def answer_ask(self, ask):
        write("undefined")


class OfferAsText(Novice):
    def build_act(self, ask):
        return super().build_act(ask) | {"offer_draw": "yes"}


class EmptyName(Novice):
    def build_ready(self):
        return super().build_ready() | {"name": ""}


class Prompts(Novice):
    def answer_hello(self):
        input("press a key")


class PromptsBeforeMoves(Novice):
    def choose_action(self, ask):
        input("press a key")
        return super().choose_action(ask)


class StopsInDebugger(Novice):
    def choose_action(self, ask):
        breakpoint()  # noqa: T100
        return super().choose_action(ask)


class AnswersOnStderr(Novice):
    def send(self, message):
        sys.stderr.write(json.dumps(message) + "\n")


class WaitsAfterError(Novice):
    def answer_hello(self):
        threading.Thread(target=lambda: self.rules["board"]).start()
        time.sleep(3600)


class SwapsSquares(Novice):
    def choose_action(self, ask):
        move = super().choose_action(ask)
        return {"type": "move", "src": move["dst"], "dst": move["src"]}


class MirrorsBlue(Novice):
    def choose_action(self, ask):
        move = super().choose_action(ask)
        return move if self.seat == "red" else move | {end: self.turn(move[end]) for end in ("src", "dst")}

    def turn(self, place):
        return "jihgfedcba"["abcdefghij".index(place[0])] + str(11 - int(place[1:]))


class AttacksByName(Novice):
    def choose_action(self, ask):
        return super().choose_action(ask) | {"type": "attack"}


class WritesFromAndTo(Novice):
    def choose_action(self, ask):
        move = super().choose_action(ask)
        return {"type": "move", "from": move["src"], "to": move["dst"]}


class HasNoName(Novice):
    def build_ready(self):
        return {"type": "ready", "protocol": 1}


class Grows(Novice):
    """Keeps 3 MiB of each turn until the next game."""

    def start_game(self, start):
        super().start_game(start)
        self.kept = []

    def choose_action(self, ask):
        self.kept.append(b"x" * (3 << 20))
        return super().choose_action(ask)


class GrowsAtFirst(Novice):
    """Keeps 3 MiB of each of its first 40 turns."""

    kept = ()

    def choose_action(self, ask):
        self.kept = (*self.kept, b"x" * (3 << 20))[-40:]
        return super().choose_action(ask)


class OwnRandomSeed(Novice):
    def start_game(self, start):
        super().start_game(start)
        self.rng = random.Random()


class ThinksFasterAtTheEnd(Thinks):
    def thinking_s(self, bank_s):
        return min(0.06, bank_s / 20)


BOTS = {kind.__name__: kind for kind in (*Novice.__subclasses__(), ThinksFasterAtTheEnd)}

if __name__ == "__main__":
    BOTS.get(MISTAKE, Novice)().run()
