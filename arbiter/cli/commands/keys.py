"""`arbiter keys FILE`: make the key with which an organiser signs digests of results."""

import getpass
from pathlib import Path

import click

from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import write_new_file
from arbiter.errors import ConfigError, write_command
from arbiter.signatures import describe_key, make_keys


@command
@click.argument("file", type=PATH)
@click.option("--name", help="Name of the owner, which the public key contains. Default: your user name.")
@format_options
def keys(file: Path, name: str | None, form: str) -> None:
    """Make a key for `arbiter verify --sign`: a private key FILE, and a public key FILE.pub.

    Make it once. Keep FILE private and make a copy of it, and publish FILE.pub or its fingerprint where everyone
    knows that it is yours. The key is one of OpenSSH, without a passphrase.
    """
    public_file = file.with_name(f"{file.name}.pub")
    if public_file.exists():
        raise ConfigError(f"{public_file}: already exists and is not overwritten; name another file")
    made = make_keys(getpass.getuser() if name is None else name)
    write_new_file(file, made.private, mode=0o600)
    write_new_file(public_file, made.public.encode())
    facts = {"private": str(file), "public": str(public_file), "fingerprint": describe_key(made.public)}
    sign = write_command("verify", "RESULTS", "--publish", "DIGEST.json", "--sign", file)
    text = f"{public_file} has the fingerprint {facts['fingerprint']}; keep {file} private. Sign with: {sign}"
    print_facts("Keys", [facts], form, lambda: text)
