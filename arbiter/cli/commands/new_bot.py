"""`arbiter new-bot PATH`: a bot to begin with, in one file."""

import shlex
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import write_new, writing
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_entries import make_bot_name
from sample_bots import TEMPLATES, Template

LANGUAGES: Final = tuple(dict.fromkeys(template.language for template in TEMPLATES))
OPPONENT: Final = "random"


@click.command
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice(LANGUAGES), help=f"By default what PATH ends in, else {LANGUAGES[0]}.")
@click.option("--kit", is_flag=True, help="In Python: let the kit read and remember, and write only the choice.")
def new_bot(path: Path, language: str | None, *, kit: bool) -> None:
    """Write a bot to begin with, and tell how to play it.

    It is one commented file that plays every rule set, and attacks what it can beat.
    Without --kit it needs nothing but its language, and shows each line of the protocol.
    PATH may do without its ending (.py, .js, .c); nothing is ever overwritten.
    """
    template = _template(language or _language_of(path), kit=kit)
    with writing(path):
        source, program = _files(path, template)
    text = files("sample_bots").joinpath(template.file).read_text("utf-8")
    text = text.replace(f'"{template.name}"', f'"{make_bot_name(source)}"', 1)
    write_new(source, text.encode(), runs=text.startswith("#!"))
    click.echo(f"Wrote {source}, a bot {template.description}. Make it think in `score`; to play it:\n")
    click.echo(f"    {_command(template, source, program)}")


def _template(language: str, *, kit: bool) -> Template:
    for template in TEMPLATES:
        if (template.language, template.has_kit) == (language, kit):
            return template
    raise ConfigError("--kit: there is a kit for python only; leave it out")


def _language_of(path: Path) -> str:
    """Tell the language by the ending of a file; without one it is the first."""
    by_ending = {Path(template.file).suffix: template.language for template in TEMPLATES}
    if path.suffix and path.suffix not in by_ending:
        raise ConfigError(
            f"{path}: ends in none of {', '.join(by_ending)}; mend the ending, or leave it out and name the --language"
        )
    return by_ending.get(path.suffix, LANGUAGES[0])


def _files(path: Path, template: Template) -> tuple[Path, Path]:
    """Name the file to write, and the program that it is compiled to where it must be."""
    ending = Path(template.file).suffix
    if path.is_dir():
        raise ConfigError(f"{path}: is a folder; name a file in it, as in {path / 'mybot'}{ending}")
    if path.suffix not in ("", ending):
        raise ConfigError(f"{path}: a bot in {template.language} ends in {ending}; name it {path.stem}{ending}")
    source, program = path.with_name(f"{path.stem}{ending}"), path.with_name(path.stem)
    if template.build and program.exists():
        raise ConfigError(f"{program}: is there already, and {source.name} would be compiled to it; name another file")
    return source, program


def _command(template: Template, source: Path, program: Path) -> str:
    """Write the line for a shell that builds a bot, where it must be built, and plays it."""
    words = {"source": _in_a_shell(source), "program": _in_a_shell(program)}
    bot = template.command.format(**words)
    if " " in template.command:
        bot = shlex.quote(bot)
    play = f"arbiter match {bot} {OPPONENT}"
    return f"{template.build.format(**words)} && {play}" if template.build else play


def _in_a_shell(path: Path) -> str:
    """Write a path as a shell takes it, and so that it is a path and no command and no option."""
    return shlex.quote(str(path) if path.is_absolute() else f"./{path}")
