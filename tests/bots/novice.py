"""A bot that plays by the rules, whatever they are; the argument names the one mistake that its author has made."""

import json
import os
import random
import signal
import sys
import threading
import time

MISTAKE = sys.argv[1] if len(sys.argv) > 1 else None


def out(text, end="\n"):
    """Write text as it is."""
    sys.stdout.write(text + end)
    sys.stdout.flush()


class Novice:
    """Deploys at random and chooses from what is legal."""

    wants = ("legal", "view")

    def __init__(self):
        self.games = 0
        self.seat, self.rules, self.luck = None, None, None

    def ready(self):
        """Introduce the bot."""
        return {"type": "ready", "protocol": 1, "name": "novice", "wants": list(self.wants)}

    def begin(self, start):
        """Hear that a game begins."""
        self.seat, self.rules, self.luck = start["seat"], start["rules"], random.Random(start["seed"])

    def deploy(self, ask):
        """Set up."""
        if "line" in self.rules:
            return {"type": "deploy", "line": [card["place"] for card in ask["view"]["hand"][: self.rules["line"]]]}
        army = [rank for rank, count in self.rules["army"].items() for _ in range(count)]
        squares = self.luck.sample(self.rules["deploy"][self.seat], len(army))
        return {"type": "deploy", "pieces": dict(zip(squares, army, strict=True))}

    def choose(self, ask):
        """Choose an action."""
        return self.luck.choice(ask["legal"])

    def act(self, ask):
        """Make the answer to a question."""
        action = self.deploy(ask) if ask["phase"] == "setup" else self.choose(ask)
        return {"type": "act", "ask": ask["ask"], "action": action}

    def say(self, message):
        """Write a message."""
        out(json.dumps(message))

    def greet(self):
        """Answer the greeting."""
        self.say(self.ready())

    def answer(self, ask):
        """Answer a question."""
        self.say(self.act(ask))

    def over(self, said):
        """Hear how a game ended."""
        self.games += 1

    def bye(self):
        """Leave."""
        sys.exit()

    def hear(self, said):
        """Take one message."""
        match said["type"]:
            case "hello":
                self.greet()
            case "start":
                self.begin(said)
            case "ask":
                self.answer(said)
            case "over":
                self.over(said)
            case "bye":
                self.bye()

    def run(self):
        """Take messages until the end."""
        for line in sys.stdin:
            self.hear(json.loads(line))


# --- the mistakes ---------------------------------------------------------------------------------


class PrintsBanner(Novice):
    def run(self):
        out("Novice 1.0 (c) 2026")
        super().run()


class PrintsDebug(Novice):
    def choose(self, ask):
        out(f"choosing among {len(ask['legal'])}")
        return super().choose(ask)


class PrintsAfterwards(Novice):
    def answer(self, ask):
        super().answer(ask)
        out("done")


class Prompts(Novice):
    def greet(self):
        out("> ", end="")
        super().greet()


class NeverFlushes(Novice):
    def say(self, message):
        sys.stdout.write(json.dumps(message) + "\n")


class EndsNoLine(Novice):
    def say(self, message):
        out(json.dumps(message), end="")


class ReadsToTheEnd(Novice):
    def run(self):
        for line in sys.stdin.read().splitlines():
            self.hear(json.loads(line))


class NeverReads(Novice):
    def run(self):
        time.sleep(3600)


class Sleeps(Novice):
    def greet(self):
        time.sleep(3600)


class SleepsInSetup(Novice):
    def deploy(self, ask):
        time.sleep(3600)


class FlushesOnlyReady(Novice):
    def answer(self, ask):
        sys.stdout.write(json.dumps(self.act(ask)) + "\n")


class SwallowsQuestions(Novice):
    def answer(self, ask):
        """Say nothing."""


class Computes(Novice):
    def greet(self):
        while True:
            pass


class ReadsOn(Novice):
    def greet(self):
        """Wait for another line before the answer, for ever."""


class Numbers(Novice):
    def act(self, ask):
        return super().act(ask) | {"ask": ask["ask"] + 1}


class NumberAsText(Novice):
    def act(self, ask):
        return super().act(ask) | {"ask": str(ask["ask"])}


class CountsOn(Novice):
    asked = 0

    def act(self, ask):
        self.asked += 1
        return super().act(ask) | {"ask": self.asked}


class Capitals(Novice):
    def act(self, ask):
        action = {key: value.upper() if key == "type" else value for key, value in super().act(ask)["action"].items()}
        return super().act(ask) | {"action": action}


class CapitalRanks(Novice):
    def deploy(self, ask):
        return {
            "type": "deploy",
            "pieces": {place: rank.upper() for place, rank in super().deploy(ask)["pieces"].items()},
        }


class CapitalSquares(Novice):
    def choose(self, ask):
        move = super().choose(ask)
        return move | {"src": move["src"].upper()}


class SquaresAsNumbers(Novice):
    def choose(self, ask):
        move = super().choose(ask)
        return move | {"src": [0, 3], "dst": [0, 4]}


class SquaresRowFirst(Novice):
    def choose(self, ask):
        return {"type": "move", "src": "4a", "dst": "5a"}


class RanksToSquares(Novice):
    def deploy(self, ask):
        return {"type": "deploy", "pieces": {rank: place for place, rank in super().deploy(ask)["pieces"].items()}}


class WrongVersion(Novice):
    def ready(self):
        return super().ready() | {"protocol": "1"}


class ArbitersTypes(Novice):
    def ready(self):
        return super().ready() | {"type": "hello"}


class BareAction(Novice):
    def act(self, ask):
        return super().act(ask)["action"]


class ActsAtOnce(Novice):
    def ready(self):
        return {"type": "act", "ask": 1, "action": {"type": "resign"}}


class PythonRepr(Novice):
    def say(self, message):
        out(str(message))


class PrettyPrints(Novice):
    def say(self, message):
        out(json.dumps(message, indent=2))


class SaysReadyTwice(Novice):
    def greet(self):
        out(json.dumps(self.ready()) + "\n" + json.dumps(self.ready()))


class TwoLines(Novice):
    def answer(self, ask):
        line = json.dumps(self.act(ask))
        out(line + "\n" + line)


class AnswersStart(Novice):
    def begin(self, start):
        super().begin(start)
        self.say({"type": "ok"})


class UnknownField(Novice):
    def act(self, ask):
        return super().act(ask) | {"comment": "a good move"}


class MissingField(Novice):
    def act(self, ask):
        return {"type": "act", "ask": ask["ask"]}


class UnknownWish(Novice):
    wants = ("legal", "board")


class LongLine(Novice):
    def act(self, ask):
        return super().act(ask) | {"note": "x" * 5000}


class ByteOrderMark(Novice):
    def greet(self):
        out("\ufeff", end="")
        super().greet()


class EmptyLine(Novice):
    def say(self, message):
        out("\n" + json.dumps(message))


class UnknownType(Novice):
    def act(self, ask):
        return super().act(ask) | {"type": "answer"}


class UnknownAction(Novice):
    def choose(self, ask):
        return super().choose(ask) | {"type": "walk"}


class NullAction(Novice):
    def act(self, ask):
        return super().act(ask) | {"action": None}


class LongNote(Novice):
    def act(self, ask):
        return super().act(ask) | {"note": "x" * 201}


class TwoOnALine(Novice):
    def answer(self, ask):
        line = json.dumps(self.act(ask))
        out(line + line)


class NotANumber(Novice):
    def act(self, ask):
        return super().act(ask) | {"note": float("nan")}


class TrailingComma(Novice):
    def say(self, message):
        out(json.dumps(message).removesuffix("}") + ",}")


class InAList(Novice):
    def act(self, ask):
        return [super().act(ask)]


class TraceOnStdout(Novice):
    def begin(self, start):
        out("Traceback (most recent call last):\n  File 'novice.py'\nKeyError: 'seat'")


class Raises(Novice):
    def choose(self, ask):
        return self.rules["best move"]


class NeedsModule(Novice):
    def run(self):
        import no_such_module  # noqa: PLC0415

        no_such_module.play(self)


class NeedsFile(Novice):
    def run(self):
        os.close(os.open("no_such_book.json", os.O_RDONLY))


class Writes(Novice):
    def run(self):
        sys.exit("PermissionError: [Errno 13] Permission denied: '/srv/book.json'")


class UsesNetwork(Novice):
    def run(self):
        sys.exit("OSError: [Errno 101] Network is unreachable")


class EatsMemory(Novice):
    def run(self):
        sys.exit("MemoryError")


class EndsEarly(Novice):
    def answer(self, ask):
        super().answer(ask)
        sys.exit()


class EndsInError(Novice):
    def choose(self, ask):
        sys.exit("no idea")


class Crashes(Novice):
    def choose(self, ask):
        os.kill(os.getpid(), signal.SIGSEGV)


class ClosesStdout(Novice):
    def choose(self, ask):
        os.close(1)
        time.sleep(3600)


class OneGame(Novice):
    def over(self, said):
        sys.exit()


class IgnoresBye(Novice):
    def bye(self):
        while sys.stdin.readline():
            pass
        time.sleep(3600)


class IgnoresTheEnd(Novice):
    def run(self):
        super().run()
        threading.Event().wait()


class LeavesOthers(Novice):
    def greet(self):
        if not os.fork():
            os.setsid()
            for number in range(3):
                os.close(number)
            time.sleep(3600)
        super().greet()


class OthersRows(Novice):
    def begin(self, start):
        super().begin(start)
        self.seat = "red"


class DeploysNothing(Novice):
    def deploy(self, ask):
        return {"type": "deploy"}


class WrongArmy(Novice):
    def deploy(self, ask):
        self.rules = self.rules | {"army": self.rules["army"] | {"scout": 8}}
        return super().deploy(ask)


class MovesBomb(Novice):
    def choose(self, ask):
        bomb = next(piece["place"] for piece in ask["view"]["pieces"] if piece["rank"] == "bomb")
        return {"type": "move", "src": bomb, "dst": bomb[0] + "5"}


class LosesTrack(Novice):
    def choose(self, ask):
        return {"type": "move", "src": "a5", "dst": "a6"}


class AcceptsDraws(Novice):
    def choose(self, ask):
        return {"type": "accept_draw"}


class MixesPhases(Novice):
    def choose(self, ask):
        return {"type": "stop"}


class Jumps(Novice):
    def choose(self, ask):
        move = super().choose(ask)
        return move | {"dst": "d5"}


class TripsOverTheUnknown(Novice):
    def hear(self, said):
        if set(said) - {"type", "protocol", "arbiter", "game", "rules", "seat", "opponent", "seed", "time"} and said[
            "type"
        ] not in ("ask", "over"):
            raise KeyError("unknown")
        super().hear(said)


class Wanders(Novice):
    """Makes its moves itself and knows no rule against repetition."""

    def choose(self, ask):
        pieces = {piece["place"]: piece for piece in ask["view"]["pieces"]}
        own = [
            piece for piece in pieces.values() if piece["seat"] == self.seat and piece["rank"] not in ("bomb", "flag")
        ]
        steps = [(piece["place"], place) for piece in own for place in self.beside(piece["place"])]
        free = [step for step in steps if pieces.get(step[1], {}).get("seat") != self.seat]
        src, dst = self.luck.choice(free)
        return {"type": "move", "src": src, "dst": dst}

    def beside(self, place):
        """List the squares beside a square."""
        file, row = "abcdefghij".index(place[0]), int(place[1:])
        around = [(file + 1, row), (file - 1, row), (file, row + 1), (file, row - 1)]
        squares = [f"{'abcdefghij'[x]}{y}" for x, y in around if 0 <= x <= 9 and 1 <= y <= 10]
        return [square for square in squares if square not in self.rules["board"]["lakes"]]


class Forgetful(Novice):
    def begin(self, start):
        super().begin(start)
        self.luck = random.Random()


BOTS = {kind.__name__: kind for kind in Novice.__subclasses__()}

if __name__ == "__main__":
    BOTS.get(MISTAKE, Novice)().run()
