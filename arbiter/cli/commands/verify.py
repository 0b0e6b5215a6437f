"""`arbiter verify RECORD|RESULTS|BUNDLE...`: check records by the rules, and results and bundles by their records."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import msgspec
from msgspec import Struct

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, format_options, group_options, rare_option
from arbiter.cli.terminal import print_each
from arbiter.director.bundle import VerifiedBundle, verify_bundle
from arbiter.director.files import find_sources, is_bundle, is_results, read_plain_record
from arbiter.director.publication import CheckedPublication, publish, read_public_key, read_publication
from arbiter.director.verification import VerifiedResults, verify_results
from arbiter.errors import ConfigError, write_count
from arbiter.languages.sentences import write_ending
from arbiter.show.text import list_counts, plain
from arbiter.verify import Verification, list_proved, list_trusted
from arbiter.verify import verify as verify_record

_signed_option = rare_option("Signed digests")


class PublishedDigests(Struct, frozen=True, kw_only=True):
    """Published digests to compare results with, and the files in which to publish another one."""

    digest: str | None
    signature: Path | None
    key: Path | None
    publish: Path | None
    sign: Path | None


@command
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="RECORD|RESULTS|BUNDLE...")
@click.option("--no-draw-limits", is_flag=True, help="Ignore the draw limits.")
@group_options(
    "evidence",
    PublishedDigests,
    click.option(
        "--digest", metavar="HEX", help="Check that RESULTS still contains all that this published digest covers."
    ),
    _signed_option(
        "--signature", type=PATH, metavar="FILE", help="Check the same with a signed digest, FILE and FILE.sig."
    ),
    _signed_option("--key", type=PATH, metavar="FILE", help="With --signature: the public key of the organiser."),
    _signed_option("--publish", type=PATH, metavar="FILE", help="If RESULTS is correct, write its digest to FILE."),
    _signed_option("--sign", type=PATH, metavar="KEY", help="With --publish: sign it with a private key, as FILE.sig."),
)
@results_option
@format_options
def verify(
    files: tuple[Path, ...], evidence: PublishedDigests, place: Path | None, form: str, *, no_draw_limits: bool
) -> None:
    """Play the actions of records again under the rules, and compare every outcome with the record.

    RECORD is the record file of a game. RESULTS is a results file, a folder with one results file, or the tournament
    file: then every stored row is compared with its record, with the schedule and with the hash chain of the file,
    and the digest of the whole event is shown. BUNDLE is a file of `arbiter games --bundle`, which is checked alone.
    Exit code: 0 if everything is correct, 1 if not.
    """
    _check_options(files, evidence)
    signature = None if evidence.signature is None else read_publication(evidence.signature, evidence.key)
    all_correct = True
    with print_each("Verified", form) as show:
        for file in find_sources(files, place):
            if is_results(file):
                verified = verify_results(file, evidence.digest, signature=signature, draw_limits=not no_draw_limits)
                if evidence.publish is not None and verified.ok:
                    publish(
                        evidence.publish,
                        evidence.sign,
                        tournament=verified.tournament,
                        games=verified.games,
                        links=verified.links,
                        digest=verified.digest,
                    )
                show({"ok": verified.ok, **msgspec.to_builtins(verified)}, _describe_results(verified))
                all_correct &= verified.ok
                continue
            if is_bundle(file):
                if evidence.publish is not None:
                    raise ConfigError(f"--publish: is for results, but {file} is a bundle")
                key = None if evidence.key is None else read_public_key(evidence.key)
                bundle = verify_bundle(file, evidence.digest, signature, key)
                show({"ok": bundle.ok, **msgspec.to_builtins(bundle)}, _describe_bundle(bundle))
                all_correct &= bundle.ok
                continue
            if evidence != _NOTHING:
                raise ConfigError(f"--digest and --publish are for results, but {file} is a record")
            found = verify_record(read_plain_record(file), draw_limits=not no_draw_limits)
            values = {key: value for key, value in msgspec.to_builtins(found).items() if value is not None}
            proof = {"proved": list_proved(found), "trusted": list_trusted(found)} if found.ok else {}
            lines = [_describe(found), *(_describe_proof(**proof) if found.ok else [])]
            show({"file": str(file), **values, **proof}, "\n".join(f"{plain(str(file))}: {line}" for line in lines))
            all_correct &= found.ok
    if not all_correct:
        sys.exit(EXIT_NEGATIVE)


_NOTHING: Final = PublishedDigests(digest=None, signature=None, key=None, publish=None, sign=None)


def _check_options(files: tuple[Path, ...], evidence: PublishedDigests) -> None:
    """Raise ConfigError if options do not go together."""
    if evidence.sign is not None and evidence.publish is None:
        raise ConfigError("--sign: signs a published digest; add --publish FILE")
    if evidence.key is not None and evidence.signature is None and not all(is_bundle(file) for file in files):
        raise ConfigError("--key: is for a signed digest; add --signature FILE")
    if evidence.publish is not None and len(files) > 1:
        raise ConfigError("--publish: is for the digest of one file; name one RESULTS")


def _describe(found: Verification) -> str:
    if not found.ok:
        place = "" if found.act is None else f"act {found.act} "
        return plain(f"{place}{found.why}")
    winner = f"{found.winner} wins" if found.winner else "nobody wins"
    end = f"{winner} ({write_ending(found.ending)})" if found.ending else "not finished"
    return f"ok, {write_count(found.plies or 0, 'ply')}, {end}"


def _describe_results(found: VerifiedResults) -> str:
    """Describe verified results as lines: the faults, a summary, and the digest."""
    faults = write_count(len(found.faults), "fault") if found.faults else "ok"
    parts = [f"{faults}: {write_count(found.games, 'game')}"]
    if found.missing:
        parts.append(f"{found.missing} not played yet")
    if found.unchecked:
        endings = list_counts(found.unchecked, write_ending)
        parts.append(f"endings that no record can prove: {endings}")
    if found.dropped:
        parts.append(f"logs of {write_count(found.dropped, 'game')} are gone")
    if found.first and found.ok:
        parts.append(f"first: {found.first}")
    parts.append(f"chain of {found.links} links")
    lines = [*found.faults, "; ".join(parts), f"digest {found.digest}"]
    if found.signature is not None and not found.signature.faults:
        lines.append(_describe_signature(found.signature))
    return "\n".join(plain(f"{found.file}: {line}") for line in lines)


def _describe_proof(proved: Sequence[str], trusted: Sequence[str]) -> list[str]:
    """Describe in words what is proved and what is not."""
    lines = [f"proved: {'; '.join(proved)}"] if proved else []
    return [*lines, f"on the word of the organiser: {'; '.join(trusted)}"]


def _describe_bundle(found: VerifiedBundle) -> str:
    """Describe a verified bundle as lines: the faults, a summary, what is proved and what is not, and the digest."""
    faults = write_count(len(found.faults), "fault") if found.faults else "ok"
    lines = [*found.faults, f"{faults}: game {found.game}", *_describe_proof(found.proved, found.trusted)]
    lines.append(f"digest {found.digest}")
    if found.signature is not None and not found.signature.faults:
        lines.append(_describe_signature(found.signature))
    return "\n".join(plain(f"{found.file}: {line}") for line in lines)


def _describe_signature(found: CheckedPublication) -> str:
    """Describe who signed a published digest."""
    stated = (
        f"signed at {found.publication.time} for {write_count(found.publication.games, 'game')} by the key {found.key}"
    )
    if found.is_known_key:
        return f"{stated}, which is the one in --key"
    return f"{stated}; compare it with the key that the organiser published, or name that one with --key"
