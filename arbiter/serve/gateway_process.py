"""The process of the gateway, which `arbiter run` starts if remote programs play."""

import argparse
import os
import resource
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
import trio

from arbiter.errors import ConfigError
from arbiter.remote.invitations import Invitations
from arbiter.serve.front import Front, load_tls
from arbiter.serve.gateway import MOST_CONNECTIONS, serve_gateway
from arbiter.serve.people import TableSettings

_PRIORITY: Final = -5  # only for root: what arrives is stamped by this process


def main() -> None:
    """Serve the inherited socket until the inherited link ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("invitations", type=Path)
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--link", type=int, required=True)
    parser.add_argument("--tls-cert", type=Path)
    parser.add_argument("--tls-key", type=Path)
    parser.add_argument("--proxy")
    parser.add_argument("--people", type=lambda text: msgspec.json.decode(text, type=TableSettings))
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(2 * MOST_CONNECTIONS, most), most))
    with suppress(PermissionError):
        os.nice(_PRIORITY)
    try:
        tls = None if options.tls_cert is None else load_tls(options.tls_cert, options.tls_key)
        invitations = Invitations(options.invitations)
    except ConfigError as error:
        sys.exit(f"arbiter: {error}")
    place = socket.socket(fileno=options.socket)
    link = socket.socket(fileno=options.link)
    with place:
        trio.run(serve_gateway, place, link, invitations, Front(tls, options.proxy), options.people)


if __name__ == "__main__":
    main()
