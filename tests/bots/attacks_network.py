"""Uses the network when it is asked for its first move, and continues to play; the result is on stderr.

Its arguments: a TCP port, a UDP port and a unix socket on this machine, and the name of an abstract one.
"""

import socket
import sys

from attacker import Attacker

_, TCP, UDP, PATH, ABSTRACT = sys.argv
VSOCK_HOST = 2


def list_reachable():
    got = []
    for name, family, kind, address in (
        ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(TCP))),
        ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", int(UDP))),
        ("path", socket.AF_UNIX, socket.SOCK_STREAM, PATH),
        ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{ABSTRACT}"),
        ("vsock", socket.AF_VSOCK, socket.SOCK_STREAM, (VSOCK_HOST, 1)),
    ):
        try:
            with socket.socket(family, kind) as connection:
                connection.settimeout(2)
                connection.connect(address)
                connection.send(b"HELP")
        except OSError:
            continue
        got.append(name)
    return got


Attacker(list_reachable).run()
