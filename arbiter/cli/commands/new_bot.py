"""`arbiter new-bot PATH`: write a simple bot as a starting point."""

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import report_write_errors, write_new_file
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_config import make_bot_name
from sample_bots.catalogue import TEMPLATES

LANGUAGES: Final = tuple(dict.fromkeys(template.language for template in TEMPLATES))
OPPONENT: Final = "random"


@command
@click.argument("path", type=PATH)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help=f"Programming language. Default: from the ending of PATH, or {LANGUAGES[0]}.",
)
@click.option("--kit", is_flag=True, help="Python only: use the kit, which handles the protocol.")
@format_options
def new_bot(path: Path, language: str | None, form: str, *, kit: bool) -> None:
    """Write a simple bot as a starting point, and show how to play it.

    The bot is one commented file. It plays every rule set and attacks pieces that it can beat. Without --kit it has
    no dependencies and handles each message of the protocol itself. The ending of PATH (such as .py, .js or .go)
    may be left out. Existing files are never overwritten.
    """
    endings = {Path(template.file).suffix: template.language for template in TEMPLATES}
    if language is None and path.suffix and path.suffix not in endings:
        raise ConfigError(f"{path}: must end in {', '.join(endings)}; fix the ending, or add --language")
    language = language or endings.get(path.suffix, LANGUAGES[0])
    template = next((one for one in TEMPLATES if (one.language, one.has_kit) == (language, kit)), None)
    if template is None:
        raise ConfigError("--kit: there is a kit only for python; leave it out")
    ending = Path(template.file).suffix
    with report_write_errors(path):
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder; name a file in it, such as {path / 'mybot'}{ending}")
        if path.suffix not in ("", ending):
            raise ConfigError(f"{path}: a {template.language} bot must end in {ending}; name it {path.stem}{ending}")
        source = path.with_name(f"{path.stem}{ending}")
        program = path.with_name(path.stem)  # the compiled program, if the language needs one
        if template.build and program.exists():
            raise ConfigError(
                f"{program}: already exists, but is the compiler output for {source.name}; name another file"
            )
    text = files("sample_bots").joinpath(template.file).read_text("utf-8")
    text = text.replace(f'"{template.name}"', f'"{make_bot_name(source)}"', 1)
    write_new_file(source, text.encode(), executable=text.startswith("#!"))
    words = {  # with ./ a path is neither a command nor an option
        name: shlex.quote(str(one) if one.is_absolute() else f"./{one}")
        for name, one in (("source", source), ("program", program))
    }
    bot = template.command.format(**words)
    play = f"arbiter match {shlex.quote(bot) if ' ' in template.command else bot} {OPPONENT}"
    if template.build:
        play = f"{template.build.format(**words)} && {play}"
    told = f"Wrote {source}, a bot {template.description}. Improve it in `score`. To play it:\n\n    {play}"
    print_facts("Bot", [{"file": str(source), "language": template.language, "play": play}], form, lambda: told)
