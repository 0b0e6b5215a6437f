import os
import sys
from pathlib import Path

import pytest

from arbiter.errors import ConfigError
from arbiter.games.ruleset import Overrides
from arbiter.sandbox import usage
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.standings.stored_game import SYSTEMS, Points

OTHERS = {"mine": "person", "bert": "terminal", "deep": "remote"}
TWO_BOTS = '[[bots]]\nname = "hunter"\n[[bots]]\nname = "random"\n'


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write club.toml and change to its folder, so that messages contain the plain name."""
    monkeypatch.chdir(tmp_path)

    def put(head="", bots=TWO_BOTS):
        text = head if "name = " in head.partition("[")[0] else f'name = "Club night"\n{head}'
        Path("club.toml").write_text(f"{text}\n{bots}", "utf-8")
        return Path("club.toml")

    return put


def refusal(path):
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")


def test_a_minimal_file(write):
    tournament = load_tournament(write())
    file = tournament.file
    assert (file.rules, file.format, file.games, file.points) == ("original", "round-robin", 2, "isf")
    assert [fixture.id for fixture in tournament.schedule(1).fixtures] == ["hunter~random~1", "random~hunter~1"]
    assert tournament.game.name == "original"
    assert tournament.points == SYSTEMS["isf"]


def test_a_file_with_all_settings(write):
    tournament = load_tournament(
        write(
            """
            name = "Club night"
            options = []
            format = "round-robin"
            games = 4
            seed = 2026
            jobs = 2
            points = { win = 3, draw = 1, loss = 0, forfeit = -1 }
            tie_breaks = ["points", "sonneborn-berger"]
            on_illegal = "ask-again:3"
            [rules]
            base = "duel"
            two_squares = 0
            more_squares = "off"
            [rules.army]
            scout = 3
            [time]
            start_s = 10
            setup_s = 10
            bank_s = 60
            increment_s = 0.1
            move_s = 5
            margin_ms = 50
            clock = "wall"
            [draws]
            no_attack_plies = 100
            max_plies = 2000
            """
        )
    )
    assert tournament.points == Points(win=3, draw=1, loss=0, forfeit=-1)
    assert tournament.file.time.move_s == 5
    assert tournament.retries == 3
    assert tournament.overrides == Overrides(
        army={"scout": 3}, two_squares=0, more_squares="off", no_attack_plies=100, max_plies=2000
    )
    terms = tournament.game.describe("red")
    assert (terms.id, terms.army["scout"], terms.max_plies, terms.two_squares) == ("duel", 3, 2000, 0)


def test_a_byte_order_mark_is_accepted(write):
    path = write()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_tournament(path).file.name == "Club night"


SWISS = '[[stages]]\nformat = "swiss"\n'
MISTAKES = {
    '[event]\ntittle = "x"': "event.tittle: unknown key; did you mean title?",
    "[event]\ndates = 2026-12-05": 'event.dates: is "2026-12-05", must be text of 1 to 200 printable characters in quotes',
    '[event]\nlink = "ftp://example.org"': 'event.link: is "ftp://example.org", must be an address of 1 to 300 characters',
    "event = 3": "event: is 3, must be a table",
    "[time]\nbank_seconds = 3": "time.bank_seconds: unknown key; did you mean bank_s?",
    'challengers = ["hunter"]': 'challengers: is a setting of format "gauntlet", but the format is "round-robin"',
    'setups = "none.txt"': "setups: none.txt: cannot be read: No such file",
    "setups = 3": "setups: is 3, must be text in quotes",
    "rounds = 3": 'rounds: is a setting of format "swiss", but the format is "round-robin"',
    "rounds = 0": "rounds: is 0, must be a whole number from 1 to 1000",
    "third_place = true": 'third_place: is a setting of format "knockout", but the format is "round-robin"',
    "half_byes = 2": 'half_byes: is a setting of format "swiss", but the format is "round-robin"',
    '[[bots]]\nname = "cards"\nabsent = [2]': 'bots.cards.absent: is for format "swiss", in which rounds are paired one by one',
    'format = "swiss"\nfurther_pairs = 1': 'further_pairs: is a setting of format "knockout", but the format is "swiss"',
    '[[stages]]\nformat = "swis"': "stages.#1.format: unknown format 'swis': did you mean 'swiss'?",
    "[[stages]]\nrounds = 2": "stages.#1.format: is missing, must be text in quotes",
    '[[stages]]\nformat = "swiss"\nbest = 2': "stages.#1.best: all bots play the first stage; leave it out",
    f'{SWISS}[[stages]]\nformat = "knockout"': "stages.#2.best: is missing, must be how many bots of the stage before",
    f'{SWISS}[[stages]]\nformat = "knockout"\nbest = 3': "stages.#2.best: is 3, but only 2 bots play the stage before",
    f'{SWISS}[[stages]]\nformat = "knockout"\nbest = 1': "stages.#2.best: is 1, must be a whole number from 2",
    f'{SWISS}[[stages]]\nformat = "gauntlet"\nbest = 2\nchallengers = ["hunter"]': "only the first stage can list them",
    f"rounds = 3\n{SWISS}": "rounds: the file has [[stages]] tables; move this key into one of them",
    f'format = "swiss"\n{SWISS}': "format: the file has [[stages]] tables; move this key into one of them",
    'format = "gauntlet"': "challengers: is missing; list the bots",
    'format = "gauntlet"\nchallengers = ["huntr"]': "challengers: 'huntr' does not play in this tournament; the bots are hunter",
    "gmaes = 4": "gmaes: unknown key; did you mean games?",
    "zzz = 4": "zzz: unknown key; there is name, rules, options, format,",
    "[time]\nbank_s = -1": "time.bank_s: is -1, must be a number from 0 to 86400",
    "[time]\nbank_s = nan": "time.bank_s: is NaN, must be a number from 0 to 86400",
    '[time]\nbank_s = "60"': 'time.bank_s: is "60", must be a number from 0 to 86400',
    '[time]\nclock = "sun"': 'time.clock: is "sun", must be "cpu" or "wall"',
    "time = 60": "time: is 60, must be a table",
    "games = 3": "games: is 3, must be an even number from 2 to 1,000,000",
    "games = 0": "games: is 0, must be an even number from 2 to 1,000,000",
    "games = -2": "games: is -2, must be an even number from 2 to 1,000,000",
    "games = 1_000_002": "games: is 1000002, must be an even number from 2 to 1,000,000",
    "games = 2.5": "games: is 2.5, must be an even number from 2 to 1,000,000",
    "games = true": "games: is true, must be an even number",
    "seed = -1": "seed: is -1, must be a whole number from 0",
    'seed = "x"': 'seed: is "x", must be a whole number from 0',
    "jobs = 0": "jobs: is 0, must be a whole number from 1",
    "name = 3": "name: is 3, must be text",
    'name = ""': 'name: is "", must be text of 1 to 200',
    'rules = "orignal"': "rules: unknown rule set 'orignal': did you mean 'original'?",
    "rules = 3": "rules: is 3, must be text in quotes or a table",
    '[rules]\nbase = "duell"': "rules.base: unknown rule set 'duell': did you mean 'duel'?",
    "[rules]\ntwo_squares = 3": "rules.base: is missing, must be text in quotes",
    '[rules]\nbase = "duel"\ntwo_square = 3': "rules.two_square: unknown key; did you mean two_squares?",
    '[rules]\nbase = "duel"\nmore_squares = "of"': 'rules.more_squares: is "of", must be "book" or "chase" or "game" or "off"',
    '[rules]\nbase = "duel"\n[rules.army]\nscout = -1': "rules.army.scout: is -1, must be a whole number from 0",
    '[rules]\nbase = "duel"\n[rules.army]\nscuot = 1': "army: duel has no rank 'scuot'",
    '[rules]\nbase = "duel"\n[rules.army]\nscout = 99': "do not fit on 40 squares",
    '[rules]\nbase = "duel"\nmax_plies = 5\n[draws]\nmax_plies = 6': "draws.max_plies: is 6, but rules.max_plies is 5",
    "[draws]\nmax_plys = 6": "draws.max_plys: unknown key; did you mean max_plies?",
    "[draws]\nmax_plies = -6": "draws.max_plies: is -6, must be a whole number from 0",
    'options = ["barrage"]': "options: unknown option of original 'barrage'",
    "options = [3]": "options.#1: is 3, must be text in quotes",
    'options = "x"': 'options: is "x", must be a list, each item text in quotes',
    'format = "round_robin"': "format: unknown format 'round_robin': did you mean 'round-robin'?",
    'points = "fide"': "points: unknown points system 'fide': there is isf, simple, ucc",
    "points = { win = 1, draw = 2, loss = 0, forfeit = 0 }": "points: a win must be worth more",
    "points = { win = 1, draw = 0, loss = 0 }": "points.forfeit: is missing, must be a number",
    "points = { win = inf, draw = 0, loss = 0, forfeit = 0 }": "points.win: is Infinity, must be a number",
    'tie_breaks = ["points", "win"]': "tie_breaks: unknown tie-break 'win': did you mean 'wins'?",
    'tie_breaks = ["points", "performance"]': 'tie_breaks: "performance" needs a rating of each bot, and ',
    'tie_breaks = ["wins"]': 'tie_breaks: the first tie-break must be "points"',
    'on_illegal = "ask"': 'on_illegal: is "ask", must be "forfeit" or "ask-again:N"',
    'on_illegal = "ask-again:0"': 'on_illegal: is "ask-again:0", must be',
    'position = "aaa"': "position: 3 letters; a position has 100",
    'first = "green"': 'first: is "green", must be "blue" or "lot" or "red"',
    "name = ": "line 1, column 8: invalid value; this is not TOML",
    'name = "x"\nname = "y"': "line 2, column 11: cannot overwrite a value; this is not TOML",
    'name = "x"\n[time\n': "line 2, column 6: expected ']' at the end of a table declaration; this is not TOML",
}


@pytest.mark.parametrize(("head", "expected"), MISTAKES.items(), ids=MISTAKES)
def test_mistakes_are_reported_with_their_fix(write, head, expected):
    assert expected in refusal(write(head))


def make_bot_table(lines):
    return f'{TWO_BOTS}[[bots]]\nname = "mine"\n{lines}'


BOT_MISTAKES = {
    "": "bots: is missing, must be a list of tables, each begun with [[double brackets]]",
    "bots = []": "bots: none is entered; a tournament needs at least two [[bots]] tables",
    '[bots]\nname = "hunter"': "bots: is a table, must be a list of tables",
    '[[bots]]\nname = "hunter"': "bots: only hunter is entered; a tournament needs at least two",
    f'{TWO_BOTS}[[bots]]\nname = "hunter"': "bots.hunter: 2 bots are named hunter; give each its own name",
    f'{TWO_BOTS}[[bots]]\nname = "Hunter"\ncommand = ["sh"]': "bots.Hunter: 2 bots are named hunter and Hunter; give each its own name",
    f'{TWO_BOTS}[[bots]]\nname = "huntr"': "bots.huntr: unknown sample bot 'huntr': did you mean 'hunter'?",
    f"{TWO_BOTS}[[bots]]\nmemory_mb = 64": "bots.#3.name: is missing, must be 1 to 40 of the characters",
    f'{TWO_BOTS}[[bots]]\nnmae = "x"': "bots.#3.nmae: unknown key; did you mean name?",
    f'{TWO_BOTS}[[bots]]\nname = "a/b"': 'bots.a/b.name: is "a/b", must be 1 to 40 of the characters',
    f'{TWO_BOTS}[[bots]]\nname = "-x"': 'bots.-x.name: is "-x", must be 1 to 40 of the characters',
    f'{TWO_BOTS}[[bots]]\nname = "x\\n"': 'bots.#3.name: is "x\\n", must be 1 to 40 of the characters',
    make_bot_table("memory_mb = 8"): "bots.mine.memory_mb: is 8, must be a whole number from 16",
    make_bot_table('trusted = "yes"'): 'bots.mine.trusted: is "yes", must be true or false',
    make_bot_table('command = "./mine.py"'): 'bots.mine.command: is "./mine.py", must be a list, each item text',
    make_bot_table("command = []"): "bots.mine: command: is empty; write the program first",
    make_bot_table('command = ["./gone.py"]'): "bots.mine: command: there is no program {here}/gone.py",
    make_bot_table(
        'command = ["no-such-program"]'
    ): "command: there is no program 'no-such-program' in {here} or on the PATH",
    make_bot_table('command = ["./folder"]'): "bots.mine: command: {here}/folder is a folder; name the program in it",
    make_bot_table(
        'command = ["./plain"]'
    ): "bots.mine: command: {here}/plain is not executable; run: chmod +x {here}/plain",
    make_bot_table(
        'command = ["plain"]'
    ): "bots.mine: command: {here}/plain is not executable; run: chmod +x {here}/plain",
    make_bot_table('command = ["\\u0000"]'): "command: contains a NUL character",
    "bots = [3]": "bots.#1: is 3, must be a table",
    make_bot_table("human = true"): 'bots.mine.human: unknown key; write kind = "person", or "terminal"',
    make_bot_table("remote = true"): 'bots.mine.remote: unknown key; write kind = "remote"',
    make_bot_table(
        'kind = "human"'
    ): 'bots.mine.kind: is "human", must be "person" or "program" or "remote" or "terminal"',
    make_bot_table(
        'kind = "remote"\ncommand = ["sh"]'
    ): 'bots.mine.command: is for programs of this machine; leave it out if kind = "remote"',
    make_bot_table(
        'kind = "terminal"\n[[bots]]\nname = "bert"\nkind = "terminal"'
    ): "bots: mine and bert are at the terminal, but only one person can sit there",
}


BOT_MISTAKES |= {
    make_bot_table(f'command = ["sh"]\n{lines}'): f"bots.mine.{expected}"
    for lines, expected in {
        'title = ""': 'title: is "", must be text of 1 to 60 printable characters in quotes, without spaces at its ends',
        'title = " x"': 'title: is " x", must be text of 1 to 60 printable',
        f'title = "{"x" * 61}"': f'title: is "{"x" * 59}..., must be text of 1 to 60 printable',
        'title = "a\\u001b[31m"': 'title: is "a\\u001b[31m", must be text of 1 to 60 printable',
        'title = "a\\u202eb"': "title: is ",
        'author = "a\\nb"': 'author: is "a\\nb", must be text of 1 to 60 printable',
        'title = "Hunter"': 'title: "Hunter" already names hunter; give each its own title',
        'notes = "\\u0007"': 'notes: is "\\u0007", must be text of 1 to 2000 printable characters',
        'link = "javascript:alert(1)"': 'link: is "javascript:alert(1)", must be an address of 1 to 300 characters that '
        'begins with "https://" or "http://"',
        'link = "https://"': 'link: is "https://", must be an address',
        'link = "https://a b"': "link: is ",
        "env = { A = 3 }": "env.A: is 3, must be text in quotes, without NUL characters",
        'env = { "A B" = "3" }': 'env: the key: is "A B", must be a name of letters, digits and _, with a letter',
        "titel = 3": "titel: unknown key; did you mean title?",
        "clubb = 3": "clubb: unknown key; did you mean club?",
    }.items()
}


@pytest.mark.parametrize(("bots", "expected"), BOT_MISTAKES.items(), ids=BOT_MISTAKES)
def test_mistakes_in_bots_are_reported_with_the_bot(write, tmp_path, bots, expected):
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    assert expected.format(here=tmp_path) in refusal(write(bots=bots))


def test_mistakes_of_every_kind_are_reported_together(tmp_path):
    path = tmp_path / "club.toml"
    path.write_text(
        """\
name = "Six"
gamez = 3
games = 3
format = "round-robbin"
time = { move_s = "fast" }
[[bots]]
name = "hunter"
[[bots]]
name = "hunter"
[[bots]]
name = "mine"
command = ["./missing"]
[[bots]]
name = "yours"
comand = ["./missing"]
""",
        "utf-8",
    )
    with pytest.raises(ConfigError) as caught:
        load_tournament(path)
    assert [line.removeprefix(f"{path}: line ") for line in str(caught.value).splitlines()] == [
        "2: gamez: unknown key; did you mean games?",
        "3: games: is 3, must be an even number from 2 to 1,000,000 (games come in pairs, colours swapped)",
        '5: time.move_s: is "fast", must be a number from 0 to 86400',
        "15: bots.yours.comand: unknown key; did you mean command?",
        "9: bots.hunter: 2 bots are named hunter; give each its own name",
        "4: format: unknown format 'round-robbin': did you mean 'round-robin'?",
        f"11: bots.mine: command: there is no program {tmp_path}/missing",
    ]


def test_mistakes_that_follow_from_others_are_not_reported(write):
    bots = '[[bots]]\nname = "hunter"\n[[bots]]\nnmae = "random"'
    assert refusal(write(bots=bots)) == "line 6: bots.#2.nmae: unknown key; did you mean name?"


def test_a_truncated_file_is_reported_with_its_last_line(write):
    assert refusal(write("name = 3\ngames =", bots="")) == "line 2, column 8: invalid value; this is not TOML"
    Path("club.toml").write_text('name = "x"\ngames =', "utf-8")
    assert refusal(Path("club.toml")) == "line 2: invalid value; this is not TOML"


def test_a_missing_file(tmp_path):
    assert refusal(tmp_path / "club.toml") == "there is no such file"


def test_a_folder_instead_of_a_file(tmp_path):
    assert refusal(tmp_path) == "is a folder; name the TOML file in it"


def test_a_file_that_is_not_utf_8(tmp_path):
    path = tmp_path / "club.toml"
    path.write_bytes(b'name = "caf\xe9"')
    assert refusal(path) == "byte 12 is not UTF-8; save the file as UTF-8 text"


@pytest.mark.skipif(os.geteuid() == 0, reason="allowed: root may read everything")
def test_a_file_without_read_permission(write):
    path = write()
    path.chmod(0)
    assert refusal(path) == "cannot be read: Permission denied"


@pytest.mark.parametrize(("kind", "players"), [("remote", "remote programs"), ("person", "people in browsers")])
def test_nobody_measures_or_stops_players_over_the_network(write, kind, players):
    bots = make_bot_table(f'kind = "{kind}"')
    cannot = "bots.mine.kind: nobody can"
    assert f"{cannot} measure the processor time of {players}" in refusal(write('[time]\nclock = "cpu"', bots))
    assert f"{cannot} stop {players} from thinking" in refusal(write("[time]\npondering = false", bots))


@pytest.mark.parametrize(("name", "apart"), [("ladder", {"mine", "bert"}), ("round-robin", set())])
def test_only_a_ladder_rates_people_apart(write, name, apart):
    others = [f'[[bots]]\nname = "{bot}"\nkind = "{kind}"\n' for bot, kind in OTHERS.items()]
    file = load_tournament(write(f'format = "{name}"', TWO_BOTS + "".join(others))).file
    assert file.rated_apart == apart
    assert file.list_players("program", "remote") == ("hunter", "random", "deep")


def test_the_programs_of_the_bots_are_resolved(write, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.py").write_text("")
    path = write(bots=make_bot_table('command = ["mine/bot.py", "--deep"]\nmemory_mb = 64\ntrusted = true'))
    hunter, _, mine = load_tournament(path).programs
    assert hunter.argv == (sys.executable, "-I", "-m", "sample_bots.hunter")
    assert mine.argv == (sys.executable, str(tmp_path / "mine" / "bot.py"), "--deep")
    assert (mine.name, mine.folder, mine.memory_mb, mine.trusted) == ("mine", tmp_path / "mine", 64, True)


def test_a_clock_that_the_system_does_not_support_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(usage, "is_measurable", lambda: False)
    file = tmp_path / "club.toml"
    file.write_text('name = "Club"\n[time]\nclock = "cpu"\n[[bots]]\nname = "hunter"\n[[bots]]\nname = "random"\n')
    with pytest.raises(ConfigError, match=r'time\.clock: "cpu" needs Linux'):
        load_tournament(file)
