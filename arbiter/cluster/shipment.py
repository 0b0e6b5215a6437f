"""The bots of a tournament on their way to the machines of a cluster: each folder is sent once to each machine."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.archives import pack
from arbiter.cluster.connect import Cluster, describe_failure
from arbiter.cluster.readiness import Readiness, StartOptions, make_portable
from arbiter.cluster.worker_plugin import find_missing_archives, start_bots, unpack_archive
from arbiter.sandbox.isolation import Program
from arbiter.tournament.programs import ProgramDigest, ProgramDigests

_SEND_S: Final = 300.0
_START_S: Final = 30.0

Answer = TypeVar("Answer")


class Shipment:
    """Sends the bots of a run to machines, and starts each of them once on each machine.  All methods block."""

    def __init__(
        self,
        cluster: Cluster,
        programs: Sequence[Program],
        digests: ProgramDigests,
        time: TimeSettings,
        *,
        shared: bool,
        trust_all: bool,
    ) -> None:
        """Prepare to send the bots as they are now; later changes of their files are not sent.

        `shared`: their files have the same path on all machines.  `trust_all`: all may play without a sandbox.
        """
        self.bots = tuple(make_portable(program, digests, shared=shared) for program in programs)
        self._cluster = cluster
        self._digests = digests
        self._time = time
        self._trust_all = trust_all
        self.errors: dict[str, str] = {}
        """Reasons why calls to workers failed, by their addresses."""

    @property
    def sent(self) -> Mapping[str, ProgramDigest]:
        """The digests of the bots whose files are sent, by their names."""
        return {bot.program.name: bot.found for bot in self.bots if bot.is_packed}

    def deliver(self, workers: Mapping[str, Sequence[str]], slots: Mapping[str, int]) -> dict[str, Sequence[Readiness]]:
        """Send all bots to the machines of prepared workers, by the ids of machines; return how each bot starts there.

        `slots` are the numbers of bots that each machine starts at the same time.  A machine that does not answer is
        left out.  Raises ConfigError if the files of a bot cannot be sent.
        """
        missing = self._find_missing([address for addresses in workers.values() for address in addresses])
        able_workers = {id_: [one for one in addresses if one in missing] for id_, addresses in workers.items()}
        first = {addresses[0]: id_ for id_, addresses in able_workers.items() if addresses}
        others = [address for addresses in able_workers.values() for address in addresses[1:]]
        faults = self._send_files({address: missing[address] for address in first})
        self._send_files(self._find_missing(others))  # those that have another folder for temporary files
        options = StartOptions(time=self._time, trust_all=self._trust_all)
        at_first = {address: (self.bots, replace(options, at_once=slots[id_])) for address, id_ in first.items()}
        longest_s = _START_S + (self._time.start_s + 1) * len(self.bots)
        started = self._call(start_bots, at_first, longest_s)
        digests = {bot.program.name: bot.found.digest for bot in self.bots}
        readiness: dict[str, Sequence[Readiness]] = {
            first[address]: [
                replace(one, fault=f"its files could not be sent: {fault}")
                if (fault := faults[address].get(digests[one.bot]))
                else one
                for one in outcomes
            ]
            for address, outcomes in started.items()
            if address not in self.errors
        }
        able = {id_: {one.bot for one in outcomes if one.program is not None} for id_, outcomes in readiness.items()}
        ids = {address: id_ for id_, addresses in workers.items() for address in addresses}
        found = self._call(start_bots, dict.fromkeys(others, (self.bots, replace(options, is_tried=False))), _START_S)
        for address, outcomes in found.items():
            for one in outcomes:
                if one.fault and one.bot in able.get(ids[address], ()):
                    self.errors[address] = f"bots.{one.bot}: {one.fault}"
        return readiness

    def _find_missing(self, addresses: Sequence[str]) -> dict[str, list[str]]:
        """Return the digests of archives that workers do not find on their machine; a worker that fails is left out."""
        wanted = tuple(bot.found.digest for bot in self.bots if bot.is_packed)
        return self._call(find_missing_archives, dict.fromkeys(addresses, (wanted,)), _START_S)

    def _send_files(self, missing: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
        """Send archives to workers, one after the other; `missing` are their digests by the addresses of workers.

        Return what failed, by the addresses of workers and the digests of archives.  Raises ConfigError if a bot cannot
        be sent.
        """
        packed = {bot.found.digest: bot for bot in reversed(self.bots) if bot.is_packed}
        faults: dict[str, dict[str, str]] = {address: {} for address in missing}
        for digest, bot in packed.items():
            places = [address for address, digests in missing.items() if digest in digests]
            if places:
                archive = pack(bot.program, bot.found, self._digests.list_paths(bot.program.name))
                answers = dict.fromkeys(places, "the machine did not answer in time")
                with suppress(TimeoutError):
                    sent = self._cluster.client.scatter(
                        archive, workers=places, broadcast=True, hash=False, timeout=_SEND_S
                    )
                    answers = self._call(unpack_archive, dict.fromkeys(places, (sent,)), _SEND_S)
                for address in [address for address, fault in answers.items() if fault]:
                    faults[address][digest] = answers[address]
        return faults

    def _call(
        self, function: Callable[..., Answer], arguments: Mapping[str, tuple[Any, ...]], longest_s: float
    ) -> dict[str, Answer]:
        """Call a function in a thread of each worker, with the run and its arguments; failed calls are left out."""
        futures = {
            address: self._cluster.submit(address, function, self._cluster.run, *words)
            for address, words in arguments.items()
        }
        gone = self._cluster.wait_for(futures, longest_s)
        answers: dict[str, Answer] = {}
        for address, future in futures.items():
            if not (fault := describe_failure(future)):
                answers[address] = future.result()
            elif address not in gone:
                self.errors[address] = fault
            future.release()
        return answers
