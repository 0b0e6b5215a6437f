"""Ports of this machine that no other program gets while a test uses them."""

import socket
from contextlib import contextmanager


@contextmanager
def reserve_port():
    """Yield a port at which nobody listens; only a program that sets SO_REUSEADDR, as servers do, can listen there."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]
