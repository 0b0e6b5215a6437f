"""Protest bundles: the evidence of one game in a ZIP file, which can be checked without the results."""

import io
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from arbiter.director.files import read_bytes, write_new_file
from arbiter.director.publication import CheckedPublication, check_publication, find_signature, read_publication
from arbiter.errors import ConfigError
from arbiter.formats import FormatNumber, check_format
from arbiter.record import RecordError, read_record
from arbiter.tournament.results.evidence import GameContent, GameEvidence, check_evidence, read_content
from arbiter.tournament.results.integrity import GameCheck, check_game
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.schema import FORMAT
from arbiter.transcript import AnswerTime, GameLog
from arbiter.verify import list_proved, list_trusted, verify_record
from protocol.words import SEATS, Seat

_ROWS: Final = "evidence.msgpack"
_DIGEST: Final = "digest.json"
_SIGNATURE: Final = "digest.json.sig"
_READABLE: Final = ("README.txt", "game.json", "record.jsonl", "red.log.jsonl", "blue.log.jsonl", "times.json")
_NAMES: Final = {_ROWS, _DIGEST, _SIGNATURE, *_READABLE}
_MOST_BYTES: Final = 64 * 2**20  # of the file, and of all that is in it
_END: Final = struct.Struct("<4s4H2LH")  # of a ZIP file without a comment
_END64_LENGTH: Final = 20
_MODE: Final = 0o644 << 16
_DAMAGE: Final = (
    *(ValueError, TypeError, LookupError, RecursionError),
    *(zlib.error, msgspec.MsgspecError, RecordError),
)
_README: Final = b"""The evidence of one game, for a protest.

game.json       result, conditions of the machine (load, lag_ms: the longest stall of the arbiter), programs, rulings
record.jsonl    every move and fact
red.log.jsonl   every line between the arbiter and red that was kept, and the stderr of red, with times; blue: the same
times.json      the time that each act was charged, and for slow answers stalls and the processor time of the bot
evidence.msgpack  the rows as they are stored, with the hash chain over all rows of the results
digest.json     a published digest of the results, with its signature, if one was added

Check it on any machine with: arbiter verify FILE.zip --signature DIGEST.json --key KEY.pub
The other files are made from evidence.msgpack, and compared with it by this check.
"""


def write_bundle(results: Results, game_id: str, file: Path, signature: Path | None) -> None:
    """Write the evidence of a game into a new file, with a signed digest that covers it.  Raises ConfigError."""
    evidence = results.evidence(game_id)
    try:
        files = {_ROWS: msgspec.msgpack.encode(evidence), **_make_files(read_content(evidence))}
    except _DAMAGE as error:
        raise ConfigError(f"{results.path}: the evidence of {game_id} is damaged ({error}); restore a copy") from None
    if signature is not None:
        found = read_publication(signature)
        faults = [*found.faults]
        if found.publication.digest not in check_evidence(evidence).digests:
            faults.append(f"{signature}: was published before the game, its programs and its rulings were stored")
        if faults:
            raise ConfigError(f"--signature {faults[0]}; publish the digest again with `arbiter verify --publish`")
        files |= {_DIGEST: read_bytes(signature), _SIGNATURE: read_bytes(find_signature(signature))}
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            member = ZipInfo(name)  # with a fixed date: equal evidence is an equal bundle
            member.compress_type = ZIP_DEFLATED
            member.external_attr = _MODE
            archive.writestr(member, content)
    write_new_file(file, packed.getvalue())


def _make_files(content: GameContent) -> dict[str, bytes]:
    """Make the readable files from the rows."""
    record = read_record(content.record)
    log = content.log
    about = {"game": content.game, "programs": content.programs, "rulings": content.rulings}
    names = AnswerTime.__struct_fields__
    times = {
        "acts": [{"act": number, "seat": act.seat, "charged_ms": act.ms} for number, act in enumerate(record.acts, 1)],
        "slow_answers": {
            seat: [{name: getattr(answer, name) for name in names} for answer in log.wire[seat].answers]
            if seat in log.wire
            else []
            for seat in SEATS
        },
        "log_kept": bool(log.wire),
    }
    return {
        "README.txt": _README,
        "game.json": _write_json(about),
        "record.jsonl": content.record,
        **{f"{seat}.log.jsonl": _write_log(log, seat) for seat in SEATS},
        "times.json": _write_json(times),
    }


def _write_json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def _write_log(log: GameLog, seat: Seat) -> bytes:
    transcript = log.wire.get(seat)
    lines: list[Mapping[str, Any]] = []
    if transcript is not None:
        lines += [asdict(line) | {"text": line.text.decode("utf-8", "replace")} for line in transcript.lines]
        if transcript.lines_left_out:
            lines.append({"lines_left_out": transcript.lines_left_out, "bytes_left_out": transcript.bytes_left_out})
    if seat in log.stderr:
        lines += [
            {"ms": line.mark and line.mark.ms, "ask": line.mark and line.mark.ask, "stderr": line.text}
            for line in log.stderr_lines(seat)
        ]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


# --- verification ---------------------------------------------------------------------------------


class VerifiedBundle(Struct, frozen=True, kw_only=True):
    """The result of verifying a bundle."""

    file: str
    game: str
    faults: tuple[str, ...]
    proved: tuple[str, ...]
    trusted: tuple[str, ...]
    """Statements that rest on the word of the organiser."""
    digest: str
    """Last value of the hash chain, to compare with a published digest."""
    signature: CheckedPublication | None

    @property
    def ok(self) -> bool:
        """True if nothing was changed."""
        return not self.faults


def verify_bundle(
    path: Path, published: str | None = None, signature: CheckedPublication | None = None, key: str | None = None
) -> VerifiedBundle:
    """Verify a bundle alone.

    `published` and `signature` are published digests of the results; default: the signed digest in the bundle, if there
    is one.  `key` is the public key of the organiser.  Raises ConfigError if the file is not a bundle.
    """
    files = _read_files(path)
    try:
        packed = files.get(_ROWS, b"")
        check_format(msgspec.msgpack.decode(packed, type=FormatNumber).format, FORMAT, path)
        evidence = msgspec.msgpack.decode(packed, type=GameEvidence)
        content = read_content(evidence)
        made = _make_files(content)
    except _DAMAGE as error:
        raise ConfigError(f"{path}: its evidence is damaged ({error}); ask for a copy of the bundle") from None
    if signature is None and _DIGEST in files:
        signature = check_publication(f"{path}:{_DIGEST}", files[_DIGEST], files.get(_SIGNATURE, b""), key)
    chain = check_evidence(evidence)
    faults = list(chain.faults)
    faults += [f"{name} differs from the evidence" for name in _READABLE if files.get(name) != made[name]]
    faults += check_game(GameCheck(content.game, content.record, None))
    if signature is not None:
        faults += signature.faults
    digests = [*([] if published is None else [published.lower()])]
    digests += [] if signature is None else [signature.publication.digest]
    faults += [f"the digest {one} does not cover the game" for one in digests if one not in chain.digests]
    verification = verify_record(read_record(content.record))
    proved = list(list_proved(verification))
    if digests and not faults:
        by = f", which the key {signature.key} signed" if signature is not None else ""
        log = "" if content.is_log_gone else "the log, "
        rows = f"the record, {log}the times, the programs and the rulings"
        proved.append(f"{rows} are those of the results with the digest {digests[-1]}{by}")
    trusted = [*list_trusted(verification), "the digests of the programs, the load, the stalls and the processor times"]
    if content.is_log_gone:
        trusted.append("that a log of the game was old enough to be dropped")
    if not digests:
        trusted.append("that the organiser stored this; compare it with a published digest (--digest or --signature)")
    return VerifiedBundle(
        file=str(path),
        game=content.game.id,
        faults=tuple(faults),
        proved=tuple(proved) if not faults else (),
        trusted=tuple(trusted),
        digest=chain.digests[-1] if chain.digests else "",
        signature=signature,
    )


def _read_files(path: Path) -> dict[str, bytes]:
    """Read the files of a bundle, which anyone may have made.  Raises ConfigError."""
    data = read_bytes(path)
    refused = ConfigError(f"{path}: is not a bundle of `arbiter games --bundle`, or is damaged; ask for a copy of it")
    if not _END.size <= len(data) <= _MOST_BYTES:
        raise refused
    magic, disk, first_disk, here, count, *_, comment = _END.unpack(data[-_END.size :])
    is_64 = data[-_END.size - _END64_LENGTH :].startswith(b"PK\x06\x07")
    if (magic, disk, first_disk, comment) != (b"PK\x05\x06", 0, 0, 0) or here != count > len(_NAMES) or is_64:
        raise refused
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            names = [member.filename for member in members]
            if (
                len(names) != count
                or len(set(names)) != len(names)
                or not _NAMES.issuperset(names)
                or any(member.flag_bits & 1 for member in members)
                or any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members)
                or sum(member.file_size for member in members) > _MOST_BYTES
            ):
                raise refused
            return {member.filename: archive.read(member) for member in members}
    except (BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
        raise refused from None
