"""Texts for people about an event and its bots: they change no result, and are shown wherever results are."""

from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta, Struct

from arbiter.record import PlayerKind

# Characters that do not print or that change the order of others: control characters, line ends, invisible marks,
# spaces other than the usual one, surrogates and tags.
_UNPRINTABLE: Final = (
    r"\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001345f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)


def _printable(most: int) -> Meta:
    return Meta(
        max_length=most,
        pattern=rf"\A(?! )[^{_UNPRINTABLE}]+(?<! )\Z",
        description=f"text of 1 to {most} printable characters in quotes, without spaces at its ends",
    )


ShortText = Annotated[str, _printable(60)]
Text = Annotated[str, _printable(200)]
Notes = Annotated[
    str,
    Meta(
        max_length=2000,
        pattern=rf"\A([^{_UNPRINTABLE}]|\n)+\Z",
        description="text of 1 to 2000 printable characters in quotes, or of several lines in triple quotes",
    ),
]
Link = Annotated[
    str,
    Meta(
        max_length=300,
        pattern=rf"\Ahttps?://[^{_UNPRINTABLE} \"'<>\\^`{{|}}/?#][^{_UNPRINTABLE} \"'<>\\^`{{|}}]*\Z",
        description='an address of 1 to 300 characters that begins with "https://" or "http://"',
    ),
]
When = Annotated[datetime, Meta(description="a date and a time without quotes, as in 2026-12-05T19:00")]


class EventTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The event that a tournament is part of."""

    title: Text | None = None
    organiser: Text | None = None
    place: Text | None = None
    dates: Text | None = None
    """As people write them, such as 5 and 6 December 2026."""
    starts: When | None = None
    """Start of the first round: of the place, or with an offset from UTC."""
    round_minutes: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    """Minutes from one round to the next.  Default: as long as its games are likely to take."""
    notes: Notes | None = None
    link: Link | None = None
    show_stderr: bool = False
    """Pages of finished games show what the bots wrote to stderr."""


class BotDetails(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts about a bot that tables and pages show."""

    kind: PlayerKind = "program"
    title: ShortText | None = None
    """Name for people; the `name` of the bot identifies it in commands and ids."""
    author: ShortText | None = None
    club: ShortText | None = None
    team: ShortText | None = None
    country: ShortText | None = None
    category: ShortText | None = None
    language: ShortText | None = None
    """The programming language."""
    newcomer: bool = False
    link: Link | None = None
    notes: Notes | None = None
