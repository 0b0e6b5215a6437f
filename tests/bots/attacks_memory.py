"""Takes memory in one of the ways of ATTACKS when it is asked for its first move, and keeps it; reports how many MiB.

Its arguments: the name of the attack, and the number of MiB to stop at.
"""

import array
import ctypes
import mmap
import os
import platform
import signal
import socket
import sys
import tempfile
import threading
import time

from attacker import Attacker

_, ATTACK, MOST = sys.argv
MIB = 1 << 20
MOST = int(MOST)
ARM = platform.machine() == "aarch64"
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
kept = []


def call(numbers, *words):
    """Make a system call by its number on x86_64 or aarch64.  Raises OSError."""
    words = [word if isinstance(word, (bytes, ctypes.Array)) else ctypes.c_long(word) for word in words]
    result = libc.syscall(ctypes.c_long(numbers[ARM]), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def take_step_by_step(take, step_mib):
    """Take memory until that fails or is enough; return how many MiB."""
    got = 0.0
    while got < MOST:
        try:
            take()
        except (OSError, MemoryError, ValueError, RuntimeError):
            break
        got += step_mib
    return round(got)


def take_in_children(take):
    """Run an attack in many processes at the same time; they keep what they took."""
    reading, writing = os.pipe()
    children = 0
    for _ in range(12):
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            os.write(writing, b"%d\n" % take())
            signal.pause()
        children += 1
    os.close(writing)
    lines = b""
    while lines.count(b"\n") < children and (chunk := os.read(reading, 4096)):
        lines += chunk
    return sum(map(int, lines.split()))


def map_and_fill(flags, size=64):
    memory = mmap.mmap(-1, size * MIB, flags=flags)
    for place in range(0, size * MIB, mmap.PAGESIZE):
        memory[place] = 1
    kept.append(memory)
    return memory


def take_anonymous():
    return take_in_children(lambda: take_step_by_step(lambda: map_and_fill(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), 64))


def keep_one_page(flags, descriptor=-1):
    """Fill shared memory and unmap all but one page: no limit of a process counts it, but the kernel keeps all of it."""
    size = 64 * MIB
    libc.mmap.restype = ctypes.c_void_p
    start = libc.mmap(
        None, ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE, flags, descriptor, ctypes.c_long(0)
    )
    if start in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "refused")
    ctypes.memset(start, 1, size)
    libc.munmap(ctypes.c_void_p(start + mmap.PAGESIZE), ctypes.c_size_t(size - mmap.PAGESIZE))


def take_shared():
    return take_step_by_step(lambda: keep_one_page(mmap.MAP_SHARED | mmap.MAP_ANONYMOUS), 64)


def take_zeros():
    def take():
        with open("/dev/zero", "r+b") as device:
            keep_one_page(mmap.MAP_SHARED, device.fileno())

    return take_step_by_step(take, 64)


def take_page_tables():
    """Read one page in each 2 MiB: each needs a page of page tables, and no memory of its own."""

    def take():
        memory = mmap.mmap(-1, 64 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
        for place in range(0, 64 * MIB, 2 * MIB):
            assert memory[place] == 0
        kept.append(memory)

    return take_in_children(lambda: take_step_by_step(take, 1 / 8))


def take_memfd():
    block = b"x" * MIB

    def take():
        file = os.memfd_create("file")
        for _ in range(30):
            os.write(file, block)
        kept.append(file)

    return take_step_by_step(take, 30)


def take_queues():
    message = ctypes.create_string_buffer(b"\1" + bytes(7) + bytes(8000), 8008)

    def take():
        queue = call((68, 186), 0, 0o1600)
        for _ in range(2):
            call((69, 189), queue, message, 8000, 0o4000)

    return take_step_by_step(take, 16 / 1024)


def take_semaphores():
    return take_step_by_step(lambda: call((64, 190), 0, 32000, 0o1600), 2)


def take_inodes():
    folder = tempfile.mkdtemp()
    numbers = iter(range(1 << 40))

    def take():
        for _ in range(1000):
            os.mknod(f"{folder}/{'x' * 200}{next(numbers)}")

    return take_step_by_step(take, 1.5)


def take_access_lists():
    users = (0x00070002.to_bytes(4, "little") + os.getuid().to_bytes(4, "little")) * 5000
    head = b"\2\0\0\0\1\0\7\0\xff\xff\xff\xff"
    access = head + users + b"\4\0\7\0\xff\xff\xff\xff\x10\0\7\0\xff\xff\xff\xff\x20\0\7\0\xff\xff\xff\xff"
    folder = tempfile.mkdtemp()
    numbers = iter(range(1 << 40))

    def take():
        for _ in range(25):
            path = f"{folder}/{next(numbers)}"
            open(path, "w").close()
            os.setxattr(path, "system.posix_acl_access", access)

    return take_step_by_step(take, 1)


def take_tcp():
    def take():
        with socket.create_server(("127.0.0.1", 0)) as server:
            sender = socket.create_connection(server.getsockname())
            kept.extend((sender, server.accept()[0]))
        sender.settimeout(0)
        try:
            while True:
                sender.send(bytes(MIB))
        except BlockingIOError:
            pass

    return take_in_children(lambda: take_step_by_step(take, 4))


def fill(sender):
    sender.settimeout(0)
    try:
        while True:
            sender.send(bytes(50_000))
    except BlockingIOError:
        pass


def take_backlog():
    """Connect, fill the buffer and close: what was sent waits for a receiver that never accepts."""
    names = iter(range(1 << 40))
    server = None

    def take():
        nonlocal server
        if server is None or len(kept) > 100:
            server = socket.socket(socket.AF_UNIX)
            server.bind(f"\0{os.getpid()} {next(names)}")
            server.listen(4000)
            kept.append(server)
        with socket.socket(socket.AF_UNIX) as sender:
            sender.settimeout(1)
            sender.connect(server.getsockname())
            fill(sender)

    return take_step_by_step(take, 0.2)


def take_sockets_in_flight():
    """Send full sockets over sockets, and close them: no process has them any more."""

    def take():
        pairs = [socket.socketpair() for _ in range(8)]
        for pair in pairs:
            for end in pair:
                fill(end)
        carrier = socket.socketpair()
        kept.append(carrier)
        numbers = array.array("i", [end.fileno() for pair in pairs for end in pair])
        carrier[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
        for pair in pairs:
            for end in pair:
                end.close()

    return take_in_children(lambda: take_step_by_step(take, 3))


def take_pipes():
    def take():
        reading, writing = os.pipe()
        kept.append((reading, writing))
        os.set_blocking(writing, False)
        os.write(writing, bytes(65536))

    return take_in_children(lambda: take_step_by_step(take, 1 / 16))


def take_spliced():
    """Put pages of a file into a socket, and cut the file: the socket keeps them."""

    def take():
        ends = socket.socketpair()
        kept.append(ends)
        reading, writing = os.pipe()
        kept.append((reading, writing))
        with tempfile.TemporaryFile() as file:
            file.write(bytes(MIB))
            file.flush()
            for page in range(MIB // mmap.PAGESIZE):
                moved = os.splice(file.fileno(), writing, 1, offset_src=page * mmap.PAGESIZE)
                os.splice(reading, ends[0].fileno(), moved)

    return take_step_by_step(take, 1)


def take_sent_file():
    def take():
        ends = socket.socketpair()
        kept.append(ends)
        with tempfile.TemporaryFile() as file:
            file.write(bytes(MIB))
            file.flush()
            for page in range(MIB // mmap.PAGESIZE):
                os.sendfile(ends[0].fileno(), file.fileno(), page * mmap.PAGESIZE, 1)

    return take_step_by_step(take, 1)


def take_without_leader():
    """End the first thread of each child; the memory of a process without it is that of its other threads."""

    def leave_and_fill():
        def work():
            time.sleep(0.1)  # until the first thread has ended
            os.write(
                writing,
                b"%d\n" % take_step_by_step(lambda: map_and_fill(mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 16), 16),
            )
            signal.pause()

        threading.Thread(target=work).start()
        libc.syscall(ctypes.c_long(93 if ARM else 60), ctypes.c_long(0))

    reading, writing = os.pipe()
    for _ in range(6):
        if os.fork() == 0:
            leave_and_fill()
    os.close(writing)
    lines = b""
    while lines.count(b"\n") < 6 and (chunk := os.read(reading, 4096)):
        lines += chunk
    return sum(map(int, lines.split()))


ATTACKS = {name.removeprefix("take_"): attack for name, attack in globals().items() if name.startswith("take_")}
Attacker(ATTACKS[ATTACK]).run()
