"""Find wordings that are hard to read: `python tests/wording.py PATH...` lists them, with what to write instead."""

import ast
import io
import os
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SUFFIXES = {".py", ".md", ".html", ".js", ".css", ".toml", ".c", ""}
SKIPPED_FOLDERS = {"__pycache__", "node_modules", "build", "dist", "results", "golden", "data"}
SKIPPED_FILES = {"wording.py", "test_wording.py", "LICENSE"}
# CONTRIBUTING.md shows wordings to avoid, in a table between these lines.
EXAMPLES = re.compile(r"<!-- wording: examples -->.*?<!-- wording: end -->", re.DOTALL)
EXAMPLES_PAGE = "CONTRIBUTING.md"


class Wording(NamedTuple):
    pattern: str
    instead: str
    example: str


# Found anywhere in a text; a space in a pattern matches any white space.
ANYWHERE = (
    Wording(r"unless given", "Default: ...", "20 unless given"),
    Wording(r"(comes?|came|coming) to nothing", "is voided, has no result", "a game that came to nothing"),
    Wording(r"under way", "in progress, running", "the games under way"),
    Wording(r"st(ood|ands?|anding) still", "stall", "the arbiter stood still"),
    Wording(r"lest", "so that ... not", "lest it reads them"),
    Wording(r"mend(s|ed|ing)?", "fix", "what to mend"),
    Wording(r"where there (is|are|can|was|were)", "if there is", "where there is a sandbox"),
    Wording(
        r"where (that|this|nothing|nobody|none|no|such|one|neither|either|somebody|someone)",
        "if",
        "where that cannot be",
    ),
    Wording(r"where it (was asked|can|cannot|could|may|must|does|has)", "if it", "where it cannot"),
    Wording(r"(None|True|False|0|''|nothing|none|empty),? where", "... if", "the bot, None where it left"),
    Wording(r"tells?|told|telling", "show, report, print, send, list", "what a player is told"),
    Wording(
        r"says? (that|which|what|whether|so|who|how|if|where|when|why|it|no|nothing)",
        "report, show, state",
        "it says which bot",
    ),
    Wording(r"(is|was|are|were|be|been) said", "is sent, is written", "all that was said"),
    Wording(r"at hand", "available", "to have it at hand"),
    Wording(
        r"who (withdraws|is to|has|loses|asks|wants|plays|shows)",
        "a bot that ..., a player that ...",
        "who loses is out",
    ),
    Wording(r"(so that|that|than|if|so) who", "a bot that ..., a player that ...", "so that who won is ahead"),
    Wording(
        r"(?-i:Who) (?!are |is |can |may )[^?.\n]*\.",
        "a bot that ..., a player that ...",
        "Who left is paired no more.",
    ),
    Wording(r"whoever", "if you, anyone who", "whoever changes it"),
    Wording(r"(forfeits|turns|times|plies|moves|rounds) running", "in a row", "how many forfeits running"),
    Wording(r"(two|three|four|five|ten) \w+ running", "in a row", "forfeits five games running"),
    Wording(r"bears?|bore|borne", "handle, have, allow", "bears a second game"),
    Wording(r"anew|afresh", "again", "takes them anew"),
    Wording(r"for ever", "forever", "goes on for ever"),
    Wording(r"one's own", "its own, your own", "in one's own folder"),
    Wording(r"luck", "random choices, chance", "the luck of the draw"),
    Wording(r"by lots?|(a|the) lot decides|drawing of lots|drawn? lots", "by a random draw", "decided by lot"),
    Wording(r"beside", "next to, besides", "beside the file"),
    Wording(r"shall|ought|dwells?|heed(s|ed|ing)?|bade", "the plain verb (must, should, stay, follow)", "it ought to"),
    Wording(
        r"thus|hence|thereof|therein|thereby|wherein|whereby|whereof|whence|hitherto", "so, which, in which", "thus it"
    ),
    Wording(
        r"whilst|amongst|upon|till|naught|nought|forthwith|befalls?", "while, among, on, until, nothing", "till then"
    ),
    Wording(r"(of|by|from|to|for|with|about|in|on) whom", "split the sentence", "the bot from whom it came"),
    Wording(r"(of|by) which", "split the sentence", "the folder of which it is part"),
    Wording(r"at the (most|least)", "at most, at least", "three at the most"),
    Wording(r"on the average", "on average", "how long it takes on the average"),
    Wording(r"be (it|they)", "whether it is", "be it red or blue"),
    Wording(r"to be had", "available", "with its record to be had"),
    Wording(r"in the moment (in which|when|that)", "while, when", "in the moment in which it starts"),
    Wording(
        r"(stands?|stood) (in|beneath|below|under|there|elsewhere|beside|behind|where|before)",
        "is in",
        "stands in LICENSE",
    ),
    Wording(r"lies", "is", "what lies in the folder"),
    Wording(r"(go|goes|went|going) on(?! (a|an|the)\b)", "continue, resume", "the tournament goes on"),
    Wording(r"comes out", "is, ends", "it comes out the same"),
    Wording(r"as [\w\s]+ (has|have) it", "as in, as given by", "as the book has it"),
    Wording(r"(?<!and\s)forth", "forward, next", "step forth"),
    Wording(r"strangers?", "unknown people, untrusted programs", "a program of a stranger"),
    Wording(r"alike", "the same, identical, equally", "begin alike"),
    Wording(r"(holds?|held) (both|it|them|each|all|him|us) to", "enforce", "holds both to the rules"),
    Wording(r"winds? up", "shut down", "the arbiter winds up"),
    Wording(
        r"(a|its|own|their|whose|same|given|these|each|every) setups?(?![\w.`\"'-])(?! (phase|script))",
        "deployment",
        "whose setup it was",
    ),
    Wording(r"also if", "even if", "also if it is late"),
    Wording(r"each two", "every two, each pair of", "each two bots"),
    Wording(
        r"(?<!there\s)(is|are|was|were) no (bots?|tasks?|text|files?|games?|tools?|parts?) of",
        "is not a ... of, does not belong to",
        "'x' is no bot of this tournament",
    ),
    Wording(r"(may|might|must|could) have got", "may have", "may have got workers"),
    Wording(r"of as many times", "... times as many", "0.99 of as many times"),
    Wording(r"nobody's", "a plain noun or adjective", "a void game nobody's"),
)
# Found at the start of a docstring.
OPENINGS = (
    Wording(r"whether", "Return True if ...", "Whether it is over."),
    Wording(r"say", "Return, Report, Describe", "Say whether it is over."),
    Wording(
        r"(what|who|whom|whose|which|where|how|why)", "a noun phrase or an imperative", "What stands before a schedule."
    ),
    Wording(r"name the", "Return the name of", "Name the bot."),
)


class Finding(NamedTuple):
    line: int
    wording: str
    instead: str


def _compile(*wordings: Wording) -> re.Pattern[str]:
    pattern = "|".join(wording.pattern for wording in wordings).replace(" ", r"\s+")
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE | re.MULTILINE)


_ANYWHERE = [(_compile(wording), wording.instead) for wording in ANYWHERE]
_ANY = _compile(*ANYWHERE)  # nearly all texts contain none of them
_OPENINGS = [(_compile(wording), wording.instead) for wording in OPENINGS]

_QUOTED_NAME = re.compile(r"`[\w.()\[\]-]+`")
_IDENTIFIER = re.compile(r"[\w.#-]*")
_C_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
_HTML_NAMES = re.compile(r"""\b(class|id|for|href|data-[a-z]+)="[^"]*\"""")


def find(name: str, text: str) -> list[Finding]:
    """Return the findings in the text of a file called `name`, by line.

    Names in code are not checked: only comments, strings and docstrings are.
    """
    found = []
    for first, last, piece, is_docstring in _pieces(name, text):
        prose = _QUOTED_NAME.sub("``", piece)
        found += [
            Finding(min(first + prose.count("\n", 0, match.start()), last), " ".join(match[0].split()), instead)
            for pattern, instead in (_ANYWHERE if _ANY.search(prose) else ())
            for match in pattern.finditer(prose)
        ]
        if is_docstring:
            found += [
                Finding(first, match[0], instead)
                for pattern, instead in _OPENINGS
                if (match := pattern.match(piece.lstrip()))
            ]
    return sorted(found)


def _pieces(name: str, text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield the pieces of a file that people read: first line, last line, text, is it a docstring."""
    last = text.count("\n") + 1
    match Path(name).suffix:
        case ".py":
            yield from _python_pieces(text)
        case ".js" | ".css" | ".c":
            for match in _C_TEXT.finditer(text):
                if not _IDENTIFIER.fullmatch(match[0][1:-1]):
                    yield text.count("\n", 0, match.start()) + 1, last, match[0], False
        case ".html":
            yield 1, last, _HTML_NAMES.sub("", text), False
        case _ if name == EXAMPLES_PAGE:
            yield 1, last, EXAMPLES.sub(lambda block: "\n" * block[0].count("\n"), text), False
        case _:
            yield 1, last, text, False


def _python_pieces(source: str) -> Iterator[tuple[int, int, str, bool]]:
    if any(_ANY.search(line.partition("#")[2]) for line in source.splitlines()):  # finding comments takes long
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.end[0], token.string, False
    inside: set[ast.AST] = set()
    docstrings: set[ast.AST] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            docstrings.add(node.value)
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            parts = [str(value.value) if isinstance(value, ast.Constant) else "{}" for value in node.values]
            yield node.lineno, node.end_lineno or node.lineno, "".join(parts), False
            continue
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in inside:
            continue
        if node in docstrings or not _IDENTIFIER.fullmatch(node.value):
            yield node.lineno, node.end_lineno or node.lineno, node.value, node in docstrings


def files(path: Path) -> list[Path]:
    """Return the files below a path, or the file itself, that are checked."""
    if path.is_file():
        return [] if path.name in SKIPPED_FILES else [path]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and _is_checked(name)]
        inside = [Path(folder, name) for name in names if name not in SKIPPED_FILES and _is_checked(name)]
        found += [one for one in inside if one.suffix in SUFFIXES and one.is_file()]
    return sorted(found)


def _is_checked(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(".egg-info")


def check(path: Path) -> list[str]:
    """Return a line for each finding in a file."""
    return [
        f"{path}:{found.line}: {found.wording} -> {found.instead}"
        for found in find(path.name, path.read_text(encoding="utf-8"))
    ]


if __name__ == "__main__":
    lines = [line for word in sys.argv[1:] for path in files(Path(word)) for line in check(path)]
    print("\n".join([*lines, f"{len(lines)} findings"]))  # noqa: T201
    sys.exit(bool(lines))
