"""The system calls that a bot may not use: a seccomp filter, as the classic BPF program that bwrap loads.

The filter refuses:
- calls that did not exist when it was written: those of newer kernels, and of other interfaces;
- calls that the profiles of Docker and Podman refuse to a container without privileges;
- calls that reach out of the sandbox or past its limits: tracing, mounting, namespaces, keys, setting the time;
- calls through which two sandboxes could communicate: locks and watches on files that both can read;
- calls with which a sandbox could write into the page cache, or see what another one has read: these are channels;
- memory that no limit counts;
- calls with which a bot could leave its share of the processor, or continue while it is stopped;
- parts of the kernel that no player needs and that had most security bugs: io_uring, bpf, userfaultfd.
"""

import errno
import struct
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

# Instructions of classic BPF and answers of seccomp, from linux/bpf_common.h and linux/seccomp.h.
_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_AT_LEAST: Final = 0x35
_ANY_BIT: Final = 0x45
_KEEP_BITS: Final = 0x54
_ANSWER: Final = 0x06
_KILL: Final = 0x80000000
_ERRNO: Final = 0x00050000
_ALLOW: Final = 0x7FFF0000

# Offsets in struct seccomp_data.  Only the lower half of an argument is examined, which is all of an int: both machines
# are little-endian.
_NUMBER: Final = 0
_ARCH: Final = 4
_ARGUMENTS: Final = 16
_ARGUMENT_SIZE: Final = 8

# What existed when the filter was written: all numbers below the first new one, without gaps.  Newer kernels can use
# the others.  The answer is that of a kernel without the call, so that libraries use an older one.
_FIRST_NEW: Final = 467  # Linux 6.13 ends with 466, removexattrat; 512 to 547, and more with a high bit, are of x32
_GAPS: Final = {"x86_64": ((335, 424),), "aarch64": ((244, 260), (295, 424))}

ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Audit numbers of the kinds of processors, in the order of the numbers in the table of system calls."""

_ANSWERS: Final = {"EPERM": errno.EPERM, "ENOSYS": errno.ENOSYS, "EINVAL": errno.EINVAL, "ignored": 0}


@cache
def system_calls() -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the numbers of the calls that the filter examines, by its answer and by the names of the calls."""
    table = Path(__file__).with_name("system_calls.toml").read_bytes()
    return msgspec.toml.decode(table, type=dict[str, dict[str, tuple[int, ...]]])


_NEW_NAMESPACES: Final = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET
# F_GETLK, F_SETLK, F_SETLKW, the same for open descriptions, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ (the pages of pipes are
# counted for each user, and both bots may run as one user), and the four calls that read and write hints of a file.
_COVERT_FCNTL: Final = (5, 6, 7, 36, 37, 38, 1024, 1026, 1031, 1035, 1036, 1037, 1038)
_EVICTIONS: Final = (20, 21)  # MADV_COLD, MADV_PAGEOUT
_MADV_WILLNEED: Final = 3  # a hint to load pages, as that of fadvise
_DONE: Final = 0  # the call succeeds and does nothing
_O_DIRECT: Final = {"x86_64": 0x4000, "aarch64": 0x10000}  # each is O_DIRECTORY on the other one
_F_SETFL: Final = 4
# All flags but RWF_HIPRI, RWF_DSYNC, RWF_SYNC and RWF_APPEND.  RWF_NOWAIT fails if the data are not in memory.
_COVERT_RWF: Final = 0xFFFFFFE8
_F_SETSIG: Final = 10
_PR_SET_PDEATHSIG: Final = 1
_SIGCHLD: Final = 17
_SIGCONT: Final = 18
_EXIT_SIGNAL: Final = 0xFF  # the bits of clone's flags that hold the signal sent to the parent
_NEGATIVE: Final = 0x80000000
# SCHED_OTHER, SCHED_BATCH and SCHED_IDLE, also with SCHED_RESET_ON_FORK; the others come before all normal processes.
_POLICIES: Final = (0, 3, 5, 0x40000000, 0x40000003, 0x40000005)
# MAP_SHARED with MAP_ANONYMOUS.  Such memory stays when a program unmaps it all but one page, and no limit counts it.
_SHARED_ANONYMOUS: Final = 0x21
# AF_UNIX.  AF_INET and AF_INET6 could reach only the sandbox itself, and their buffers hold up to 10 MiB a socket.
_FAMILIES: Final = (1,)
# PER_LINUX and PER_LINUX32, also with UNAME26, and the question for the present one.
_PERSONALITIES: Final = (0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)
_TERMINAL_IOCTLS: Final = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

_RULES_IN_A_ROW: Final = 8

_Code = list[tuple[int, int, int, int]]

SESSIONS: Final = frozenset({"setsid", "setpgid"})
"""Calls that are harmless if a control group shares out the processor and stops a bot."""


def seccomp_filter(machine: str, allowed: frozenset[str] = frozenset()) -> bytes:
    """Assemble the filter for a machine, given by `platform.machine()`, without the refusal of some calls.

    Raises KeyError if it is not in `ARCHITECTURES`.
    """
    code = [_load(_ARCH), (_EQUAL, 1, 0, ARCHITECTURES[machine]), _answer(_KILL), _load(_NUMBER)]
    code += [(_AT_LEAST, 0, 1, _FIRST_NEW), _errno(errno.ENOSYS)]
    for start, end in _GAPS[machine]:
        code += [(_AT_LEAST, 0, 2, start), (_AT_LEAST, 1, 0, end), _errno(errno.ENOSYS)]
    refuse_direct = [(_ANY_BIT, 0, 1, _O_DIRECT[machine]), _errno(errno.EINVAL)]
    refuse_later = [(_EQUAL, 0, 3, _F_SETFL), _load_argument(2), *refuse_direct]
    with_flags = {"open": (1, refuse_direct), "openat": (2, refuse_direct)}
    with_flags["fcntl"] = (1, [*_refuse_each((*_COVERT_FCNTL, _F_SETSIG)), *refuse_later])
    tested = _TESTED | with_flags
    tests = {name: [_load_argument(argument), *steps, _ALLOWED] for name, (argument, steps) in tested.items()}
    place = tuple(ARCHITECTURES).index(machine)
    code += _find_rule(
        sorted(
            (number, tests[name] if answer == "tested" else [_errno(_ANSWERS[answer])])
            for answer, calls in system_calls().items()
            for name, numbers in calls.items()
            for number in numbers[place : place + 1]
            if name not in allowed
        )
    )
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _find_rule(rules: Sequence[tuple[int, _Code]]) -> _Code:
    """Find the rule for a call that exists in a sorted list by halves; a call without a rule is allowed.

    This makes each call that is examined faster, and the start of a sandbox too: when the kernel loads a filter, it
    runs it once for each call that it knows.
    """
    if len(rules) <= _RULES_IN_A_ROW:
        tests = [step for number, rule in rules for step in ((_EQUAL, 0, len(rule), number), *rule)]
        return [*tests, _ALLOWED]
    middle = len(rules) // 2
    lower = _find_rule(rules[:middle])
    return [(_AT_LEAST, len(lower), 0, rules[middle][0]), *lower, *_find_rule(rules[middle:])]


def _load(offset: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, offset)


def _answer(value: int) -> tuple[int, int, int, int]:
    return (_ANSWER, 0, 0, value)


def _errno(number: int) -> tuple[int, int, int, int]:
    return _answer(_ERRNO | number)


def _load_argument(argument: int) -> tuple[int, int, int, int]:
    return _load(_ARGUMENTS + _ARGUMENT_SIZE * argument)


def _refuse_each(values: Iterable[int], error: int = errno.EPERM) -> _Code:
    return [step for value in values for step in ((_EQUAL, 0, 1, value), _errno(error))]


def _refuse_all_but(values: Collection[int], error: int) -> _Code:
    tests = [(_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [*tests, _errno(error)]


_ALLOWED: Final = _answer(_ALLOW)
# A child that ends, or a parent that dies, while all others are stopped must not continue them.
_REFUSE_EXIT_SIGNALS: Final = [(_KEEP_BITS, 0, 0, _EXIT_SIGNAL), *_refuse_all_but((0, _SIGCHLD), errno.EPERM)]
_REFUSE_DEATH_SIGNAL: Final = [
    (_EQUAL, 0, 3, _PR_SET_PDEATHSIG),
    _load_argument(1),
    (_EQUAL, 0, 1, _SIGCONT),
    _errno(errno.EPERM),
]

# Calls for which one argument decides: the argument, and tests that refuse or continue.
_TESTED: Final[dict[str, tuple[int, _Code]]] = {
    "madvise": (2, [*_refuse_each(_EVICTIONS, errno.EINVAL), *_refuse_each((_MADV_WILLNEED,), _DONE)]),
    "preadv2": (5, [(_ANY_BIT, 0, 1, _COVERT_RWF), _errno(errno.EOPNOTSUPP)]),
    "clone": (0, [(_ANY_BIT, 0, 1, _NEW_NAMESPACES), _errno(errno.EPERM), *_REFUSE_EXIT_SIGNALS]),
    "prctl": (0, _REFUSE_DEATH_SIGNAL),
    "ioctl": (1, _refuse_each(_TERMINAL_IOCTLS)),
    "mmap": (3, [(_KEEP_BITS, 0, 0, _SHARED_ANONYMOUS), (_EQUAL, 0, 1, _SHARED_ANONYMOUS), _errno(errno.EPERM)]),
    "socket": (0, _refuse_all_but(_FAMILIES, errno.EAFNOSUPPORT)),
    "personality": (0, _refuse_all_but(_PERSONALITIES, errno.EPERM)),
    "sched_setscheduler": (1, _refuse_all_but(_POLICIES, errno.EPERM)),
    "setpriority": (2, [(_AT_LEAST, 0, 1, _NEGATIVE), _errno(errno.EPERM)]),
}
