"""The page of a rule set in every language: complete enough to play by it without knowing the game."""

import textwrap
from collections.abc import Iterable
from typing import Final

from arbiter.errors import ConfigError
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.catalogue import RULE_SETS
from arbiter.games.fights import attacker_prevails, keep_defender_secret
from arbiter.games.ranks import Rank, Trait
from arbiter.games.ruleset import RuleSet
from arbiter.languages.catalogue import Language, read_language
from arbiter.languages.phrase import Phrase
from arbiter.show.boards import write_rank
from arbiter.show.language import name_rank
from protocol.words import SEATS, RankId, Seat

_WIDTH: Final = 80
_FEDERATION: Final = "International Stratego Federation"
_OUR_NAMES: Final[frozenset[RankId]] = frozenset({"marksman", "berserker"})  # of figures of the Clone Wars
_Sections = dict[str, list[str]]


def rules_page(ruleset: RuleSet, lang: str = "en") -> str:
    """Write a rule set, with the options and changes that it has, as a page of text.  Raises ConfigError."""
    writer = _RulesWriter(ruleset, lang)
    if isinstance(ruleset, BoardRules):
        game = _describe_board_game(ruleset, writer)
        army = "head_army"
    elif isinstance(ruleset, CardRules):
        game = _describe_card_game(ruleset, writer)
        army = "head_army_cards"
    else:
        raise TypeError(f"{ruleset.name} is neither a board game nor a card game")
    write = writer.write
    ours = [writer.name(rank) for rank in ruleset.ranks if rank.id in _OUR_NAMES & ruleset.army.keys()]
    sections = {
        write("head_source"): list_sources(ruleset, lang),
        write(army, count=sum(ruleset.army.values())): [
            *(writer.describe_army(rank.id) for rank in ruleset.ranks if ruleset.army.get(rank.id)),
            *([write("our_names", ranks=", ".join(ours))] if ours else []),
        ],
        **game,
        write("head_options"): [
            f"{option} ({write('selected')}): {text}" if option in ruleset.options else f"{option}: {text}"
            for option in ruleset.offers
            for text in [write(f"option_{option}")]
        ],
        write("head_rulings"): list_rulings(ruleset, lang),
    }
    pages = [f"{name_rules(ruleset, lang)} ({ruleset.name})"]
    for title, lines in sections.items():
        written = [
            textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
            for line in lines or [write("none")]
        ]
        pages.append("\n".join([title, *written]))
    return "\n\n".join(pages)


class RulesTitle(Phrase):
    """A rule set in words; a page writes the title that the book has in its language."""

    __slots__ = ()

    def write(self, language: Language) -> str:
        """Write it in a language."""
        titles = {ruleset.name: ruleset.title for ruleset in RULE_SETS} | language.titles
        return titles.get(self.key, str(self))


def title_rules(name: str, words: str | None = None) -> RulesTitle:
    """Make the title of the rule set with a name; terminals show the `words`.  Default: its name."""
    made = RulesTitle(words or name)
    made.key = name
    made.values = {}
    return made


def name_rules(ruleset: RuleSet, lang: str) -> str:
    """Return the title of a rule set, as the book prints it in this language.  Raises ConfigError."""
    return read_language(lang).titles.get(ruleset.name, ruleset.title)


def list_sources(ruleset: RuleSet, lang: str) -> list[str]:
    """List the books of a rule set as sentences.  Raises ConfigError."""
    write = _RulesWriter(ruleset, lang).write
    source = write(f"source_{ruleset.name}")
    if not _limits_repetition(ruleset) or _FEDERATION in source:
        return [source]
    return [source, write("source_repetition")]


def list_rulings(ruleset: RuleSet, lang: str) -> list[str]:
    """List the rulings on the rules in force as sentences.  Raises ConfigError."""
    keys: list[str] = []
    if isinstance(ruleset, BoardRules):
        keys += ["two_squares"] if ruleset.two_squares else []
        keys += ["chase"] if ruleset.more_squares != "off" else []
        keys += ["scope"] if ruleset.more_squares == "chase" else []
        keys += ["hidden", "no_moves"] if _limits_repetition(ruleset) else []
    writer = _RulesWriter(ruleset, lang)
    return [writer.write(f"ruling_{key}") for key in (*keys, *ruleset.rulings)]


def _limits_repetition(ruleset: RuleSet) -> bool:
    return isinstance(ruleset, BoardRules) and bool(ruleset.two_squares or ruleset.more_squares != "off")


class _RulesWriter:
    """Writes the sentences about a rule set in one language; ranks and traits are placeholders for names of pieces."""

    def __init__(self, ruleset: RuleSet, lang: str) -> None:
        self._ruleset = ruleset
        self._lang = lang
        self._language = read_language(lang)
        self._names = {rank.id: self.name(rank) for rank in ruleset.ranks}
        for trait in {*Trait, *(trait for rank in ruleset.ranks for trait in rank.traits)}:
            ranks = self.ranks_with(trait) or [rank for rank in ruleset.ranks if rank.has(trait)]
            self._names[trait] = ", ".join(map(self.name, ranks))

    def write(self, key: str, **values: object) -> str:
        """Write a sentence, in the form for this edition if there is one.  Raises ConfigError if there is none."""
        texts = self._language.rules
        template = texts.get(f"{key}.{self._ruleset.edition or self._ruleset.name}", texts.get(key))
        if template is None:
            raise ConfigError(f"{self._ruleset.name}: the language {self._lang!r} has no text {key!r}; add it")
        text = template.format(**self._names, **values)
        return text[:1].upper() + text[1:] if template.startswith("{") else text

    def name(self, rank: Rank) -> str:
        """Return the name of a rank within a sentence, with its number."""
        name = name_rank(self._ruleset, rank.id, self._lang)
        name = name if self._language.capital_nouns else name.lower()
        return name if rank.number is None else f"{name} ({rank.number})"

    def ranks_with(self, trait: str) -> list[Rank]:
        """List the ranks with a trait that the army has."""
        return [rank for rank in self._ruleset.ranks if rank.has(trait) and self._ruleset.army.get(rank.id)]

    def name_all(self, trait: str) -> str:
        """Return the names of these ranks, the highest first."""
        return ", ".join(map(self.name, self.ranks_with(trait)))

    def write_seat(self, seat: Seat) -> str:
        return self._language.board[seat]

    def describe_army(self, rank: RankId) -> str:
        """Describe the pieces of a rank, with the figures that the edition prints for one side or both."""
        figures = {seat: names[rank] for seat, names in self._ruleset.figures.items() if rank in names}
        if len(figures) == len(SEATS) and len(set(figures.values())) == 1:
            printed = [figures[SEATS[0]]]
        else:
            printed = [
                self.write("figures", seat=self.write_seat(seat), figures=figures[seat])
                for seat in SEATS
                if seat in figures
            ]
        name = name_rank(self._ruleset, rank, self._lang)
        line = f"{self._ruleset.army[rank]} {write_rank(rank)} {name}"
        return f"{line} ({' / '.join(printed)})" if printed else line

    def describe_fights(self) -> list[str]:
        """Describe the fights that are the same for pieces and cards, by the traits of the ranks in the army."""
        keys = {
            "spy": self.ranks_with(Trait.SPY) and self.ranks_with(Trait.SPY_PREY),
            "bomb_defuser" if self.ranks_with(Trait.DEFUSER) else "bomb": self.ranks_with(Trait.BOMB),
            "infiltrator": self.ranks_with(Trait.INFILTRATOR),
        }
        return [self.write(key) for key, ranks in keys.items() if ranks]

    def describe_powers(self, **values: object) -> Iterable[str]:
        """Describe the powers of the pieces or cards in the army."""
        for power in self._ruleset.powers:
            if power.about and (power.trait is None or self.ranks_with(power.trait)):
                yield self.write(f"power_{power.about}", **values)

    def describe_limits(self, quiet: str) -> list[str]:
        """Describe the endings that every game has; `quiet` is the sentence on plies without an attack."""
        limits = {quiet: self._ruleset.no_attack_plies, "max_plies": self._ruleset.max_plies}
        return [self.write("resigned"), *(self.write(key, count=count) for key, count in limits.items() if count)]


def _describe_board_game(ruleset: BoardRules, writer: _RulesWriter) -> _Sections:
    write = writer.write
    board = ruleset.board
    rows = {seat: [square // board.files + 1 for square in ruleset.deployment(seat)] for seat in SEATS}
    fights = writer.describe_fights()
    if writer.ranks_with(Trait.FLAG):
        fights.append(write("flag"))
    powers = list(writer.describe_powers())
    if writer.ranks_with(Trait.TELEPORTER):
        powers.append(write("power_teleport"))
    return {
        write("head_board", files=board.files, rows=board.rows): [
            write("lakes", squares=" ".join(board.lakes)) if board.lakes else write("no_lakes")
        ],
        write("head_aim"): [write("aim")],
        write("head_deployment"): [
            *(
                write("deploy_rows", seat=writer.write_seat(seat), first=min(rows[seat]), last=max(rows[seat]))
                for seat in SEATS
            ),
            write("deploy"),
        ],
        write("head_turn"): _describe_moves(ruleset, writer),
        write("head_attack"): [
            write("higher"),
            write("equal_attacker" if attacker_prevails in ruleset.fights else "equal_both"),
            *fights,
            write("winner_moves"),
        ],
        write("head_knowledge"): _describe_knowledge(ruleset, writer),
        write("head_powers"): powers,
        write("head_repetition"): _describe_repetition(ruleset, writer),
        write("head_endings"): [
            *map(write, ("flag_taken", "no_pieces", "no_moves", "both_blocked")),
            *writer.describe_limits("no_attack"),
        ],
    }


def _describe_moves(ruleset: BoardRules, writer: _RulesWriter) -> list[str]:
    write = writer.write
    scouts = [rank for rank in writer.ranks_with(Trait.RUNNER) if not rank.has(Trait.TELEPORTER)]
    immovable = writer.name_all(Trait.IMMOVABLE)
    lines = [
        write("first", seat=writer.write_seat(ruleset.first)) if ruleset.first else write("first_random"),
        write("move"),
        write("move_to"),
    ]
    if scouts:
        lines.append(write("runner", ranks=", ".join(map(writer.name, scouts))))
    if immovable:
        lines.append(write("immovable_loses" if ruleset.immovable_loses else "immovable_illegal", ranks=immovable))
    return [*lines, write("illegal")]


def _describe_knowledge(ruleset: BoardRules, writer: _RulesWriter) -> list[str]:
    write = writer.write
    is_silent = ruleset.disclosure is keep_defender_secret
    lines = [write("sees_board"), write("attack_silent" if is_silent else "attack_shows")]
    if runners := writer.ranks_with(Trait.RUNNER):
        lines.append(write("long_move", ranks=write("or").join(map(writer.name, runners))))
    if immovable := writer.name_all(Trait.IMMOVABLE):
        lines.append(write("has_moved", ranks=immovable))
    return lines


def _describe_repetition(ruleset: BoardRules, writer: _RulesWriter) -> list[str]:
    write = writer.write
    limit = ruleset.two_squares
    lines = [
        write("two_squares", limit=limit) if limit else write("two_squares_off"),
        write(f"more_squares_{ruleset.more_squares}"),
    ]
    if ruleset.more_squares != "off":
        lines += map(write, ("chase", "chasing_move", "position"))
    return [*lines, write("pinned")] if ruleset.more_squares == "book" else lines


def _describe_card_game(ruleset: CardRules, writer: _RulesWriter) -> _Sections:
    write = writer.write
    dealt = {"deal": ruleset.deal, "line": ruleset.line}
    first = write("first", seat=writer.write_seat(ruleset.first)) if ruleset.first else write("first_random")
    return {
        write("head_aim"): [write("aim")],
        write("head_deployment"): [write("card_deal", **dealt)],
        write("head_turn"): [
            first,
            write("card_fill_hand", hand=ruleset.hand),
            write("card_act"),
            *(f"- {action}" for action in (write("card_attack"), *writer.describe_powers(**dealt))),
            write("card_fill_line"),
        ],
        write("head_attack"): [
            *map(write, ("card_shown", "card_higher", "card_equal")),
            *writer.describe_fights(),
            *map(write, ("card_flag", "card_gap")),
        ],
        write("head_knowledge"): [*map(write, ("card_own", "card_public", "card_looked", "card_filled"))],
        write("head_endings"): [
            *map(write, ("flag_taken", "card_no_attackers", "card_no_attacker")),
            *writer.describe_limits("no_removal"),
        ],
    }
