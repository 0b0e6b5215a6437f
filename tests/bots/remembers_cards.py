"""Remembers the cards that each seat was dealt in its last game, and notes what it knows about its opponent's.

Both games of a pair have the same decks, so this works if one process may play both.
"""

from base import Bot

LINE = [f"hand:{number}" for number in range(5)]


class RemembersCards(Bot):
    def __init__(self):
        super().__init__()
        self.hands = {}

    def build_act(self, ask):
        if ask["phase"] == "setup":
            other = "blue" if self.seat == "red" else "red"
            note = " ".join(self.hands.get(other, ["nothing"]))
            self.hands = {self.seat: [fact["rank"] for fact in ask["news"] if fact["type"] == "revealed"]}
            return {"type": "act", "ask": ask["ask"], "action": {"type": "deploy", "line": LINE}, "note": note}
        return {"type": "act", "ask": ask["ask"], "action": {"type": "resign"}}


if __name__ == "__main__":
    RemembersCards().run()
