"""`arbiter standings --format trf`: the report of a stage, and what it does not accept."""

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament


@pytest.fixture(scope="module", name="file")
def _file(tmp_path_factory):
    stages = [{"format": "round-robin"}, {"format": "knockout", "best": 2}]
    file = write_tournament(tmp_path_factory.mktemp("trf"), bots=("hunter", "random"), stages=stages)
    call_ok("run", file)
    return file


def test_a_report_of_each_stage(file):
    for stage, form in ((1, "round-robin"), (2, "knockout")):
        result = call("standings", file, "--format", "trf", "--stage", stage)
        assert result.exit_code == 0
        assert f"092 Individual: {form}, matches of 2 games" in result.stdout
        assert result.stdout.count("\n001 ") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--format trf: is about one stage; choose one of 2 with --stage"),
        (("--stage", 3), "--stage 3: the tournament has 2 stages"),
        (("--stage", 1, "--show", "los"), "leave out --show"),
        (("--stage", 1, "--anchor", "random=1"), "leave out --anchor"),
        (("--stage", 1, "--format", "json"), "--stage: is for --format trf"),
    ],
)
def test_wrong_words(file, words, said):
    assert said in call_refused("standings", file, "--format", "trf", *words)


def test_a_file_of_several_matches(tmp_path):
    path = tmp_path / "matches.sqlite"
    for bot in ("random", "stdlib"):
        call_ok("match", "hunter", bot, "--rules", "duel", "--games", 2, "--results", path)
    assert "the results have 2 matches; choose one with --series" in call_refused("standings", path, "--format", "trf")
    text = call_ok("standings", path, "--format", "trf", "--series", 2)
    assert "stdlib" in text
    assert "random" not in text
