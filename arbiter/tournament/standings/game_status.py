"""The state of a stored game: it counts, or the reason why it does not."""

from typing import Final, Literal

from msgspec import Struct

from arbiter.languages.phrase import Phrase, phrase

StateCode = Literal["counts", "annulled", "replaced", "not_in_bracket", "struck", "unrated"]


class GameStatus(Struct, frozen=True):
    """The state of a stored game."""

    code: StateCode = "counts"
    by: str | None = None
    """The id of the game that is played instead, or the bot with whose games it is struck."""

    @property
    def counts(self) -> bool:
        """True if the standings count it."""
        return self.code == "counts"

    @property
    def is_rated(self) -> bool:
        """True if ratings and highlights may use it: it counts, or it is struck, although it was played correctly."""
        return self.code in {"counts", "struck"}

    @property
    def words(self) -> Phrase:
        """The state in a few words, for example `replaced by a~b~1~r2`."""
        return phrase(self.code if self.code in {"annulled", "unrated"} else f"state_{self.code}", by=self.by)


COUNTS: Final = GameStatus()
ANNULLED: Final = GameStatus("annulled")
UNRATED: Final = GameStatus("unrated")
