"""The system calls that a bot may not use: a seccomp filter, as the classic BPF program that bwrap loads.

The filter refuses:
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
from typing import Final

from msgspec import Struct

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

_X32: Final = 0x40000000


class Architecture(Struct, frozen=True):
    """A kind of processor: its audit number, and its column in the table of system call numbers."""

    arch: int
    column: int


ARCHITECTURES: Final = {"x86_64": Architecture(0xC000003E, 0), "aarch64": Architecture(0xC00000B7, 1)}

# Numbers on x86_64 and on aarch64; None if a machine has no such call.
_REFUSED: Final[dict[str, tuple[int | None, int | None]]] = {
    # into other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # out of the sandbox
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # signals to another sandbox
    "flock": (73, 32),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # memory that no limit counts
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
    # of tmpfs, whose size does not count access control lists
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    # out of its share of the processor: the kernel schedules each session as one
    "setsid": (112, 157),
    "sched_setattr": (314, 274),
    # continuing while it is stopped: the kernel continues a group whose parent ends
    "setpgid": (109, 154),
    # administration of the kernel
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
}
_CLONE: Final = (56, 220)
# Programs that use one of these have another way for old kernels.
_UNKNOWN: Final[dict[str, tuple[int, int]]] = {
    # The flags of clone3 are behind a pointer, which the filter cannot read; so is the signal of timer_create, which
    # could be SIGCONT.
    "clone3": (435, 435),
    "timer_create": (222, 107),
    # memory that no limit counts
    "memfd_create": (319, 279),
    "mq_open": (240, 180),
    "io_setup": (206, 0),
    "landlock_create_ruleset": (444, 444),
    # pages of files in memory
    "mincore": (27, 232),
    "cachestat": (451, 451),
}
# These put pages of a file into a pipe or socket, where they stay when the file is cut, and no limit counts them.
# EINVAL is the usual answer for files for which they do not work: programs then copy in another way.
_NOT_FOR_THESE_FILES: Final[dict[str, tuple[int, int]]] = {
    "splice": (275, 76),
    "tee": (276, 77),
    "sendfile": (40, 71),
}
# Calls that succeed and do nothing.
_IGNORED: Final[dict[str, tuple[int, int]]] = {
    "fadvise64": (221, 223),  # only a hint for the kernel
    # The referee sets the cores.  Each thread of .NET sets those that it has, and .NET does not start if that fails.
    "sched_setaffinity": (203, 122),
}
_MADVISE: Final = (28, 233)
_PREADV2: Final = (327, 286)
_FCNTL: Final = (72, 25)
_MMAP: Final = (9, 222)
_SOCKET: Final = (41, 198)
_IOCTL: Final = (16, 29)
_PRCTL: Final = (157, 167)
_SET_SCHEDULER: Final = (144, 119)
_SET_PRIORITY: Final = (141, 140)

_NEW_NAMESPACES: Final = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET
# F_GETLK, F_SETLK, F_SETLKW, the same for open descriptions, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ (the pages of pipes are
# counted for each user, and both bots may run as one user), and the four calls that read and write hints of a file.
_COVERT_FCNTL: Final = (5, 6, 7, 36, 37, 38, 1024, 1026, 1031, 1035, 1036, 1037, 1038)
_EVICTIONS: Final = (20, 21)  # MADV_COLD, MADV_PAGEOUT
_RWF_NOWAIT: Final = 0x8  # fails if the data are not in memory
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
_TERMINAL_IOCTLS: Final = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

_RULES_IN_A_ROW: Final = 8

_Code = list[tuple[int, int, int, int]]


SESSIONS: Final = frozenset({"setsid", "setpgid"})
"""Calls that are harmless if a control group shares out the processor and stops a bot."""


def seccomp_filter(machine: str, allowed: frozenset[str] = frozenset()) -> bytes:
    """Assemble the filter for a machine, given by `platform.machine()`, without the refusal of some calls.

    Raises KeyError if it is not in `ARCHITECTURES`.
    """
    kind = ARCHITECTURES[machine]
    column = kind.column
    code = [_load(_ARCH), (_EQUAL, 1, 0, kind.arch), _answer(_KILL), _load(_NUMBER)]
    if machine == "x86_64":
        code += [(_AT_LEAST, 0, 1, _X32), _errno(errno.ENOSYS)]
    rules: dict[int | None, _Code] = {
        **{numbers[column]: [_errno(errno.EPERM)] for name, numbers in _REFUSED.items() if name not in allowed},
        **{numbers[column]: [_errno(errno.ENOSYS)] for numbers in _UNKNOWN.values()},
        **{numbers[column]: [_errno(errno.EINVAL)] for numbers in _NOT_FOR_THESE_FILES.values()},
        **{numbers[column]: [_errno(0)] for numbers in _IGNORED.values()},
        **{numbers[column]: [_load_argument(argument), *tests, _ALLOWED] for numbers, argument, tests in _TESTED},
    }
    code += _find_rule(sorted((number, rule) for number, rule in rules.items() if number is not None))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _find_rule(rules: Sequence[tuple[int, _Code]]) -> _Code:
    """Find the rule for a call in a sorted list by halves; a call without a rule is allowed.

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

# Calls for which one argument decides: numbers, the argument, and tests that refuse or continue.
_TESTED: Final[tuple[tuple[tuple[int, int], int, _Code], ...]] = (
    (_MADVISE, 2, _refuse_each(_EVICTIONS, errno.EINVAL)),
    (_PREADV2, 5, [(_ANY_BIT, 0, 1, _RWF_NOWAIT), _errno(errno.EOPNOTSUPP)]),
    (_CLONE, 0, [(_ANY_BIT, 0, 1, _NEW_NAMESPACES), _errno(errno.EPERM), *_REFUSE_EXIT_SIGNALS]),
    (_PRCTL, 0, _REFUSE_DEATH_SIGNAL),
    (_FCNTL, 1, _refuse_each((*_COVERT_FCNTL, _F_SETSIG))),
    (_IOCTL, 1, _refuse_each(_TERMINAL_IOCTLS)),
    (
        _MMAP,
        3,
        [(_KEEP_BITS, 0, 0, _SHARED_ANONYMOUS), (_EQUAL, 0, 1, _SHARED_ANONYMOUS), _errno(errno.EPERM)],
    ),
    (_SOCKET, 0, _refuse_all_but(_FAMILIES, errno.EAFNOSUPPORT)),
    (_SET_SCHEDULER, 1, _refuse_all_but(_POLICIES, errno.EPERM)),
    (_SET_PRIORITY, 2, [(_AT_LEAST, 0, 1, _NEGATIVE), _errno(errno.EPERM)]),
)
