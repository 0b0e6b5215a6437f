"""Encrypted clusters: certificates, and programs with other ones or without."""

import os
import ssl
import stat
import subprocess

import dask
import pytest
from cli.command_line import ARBITER, call, call_ok, write_tournament
from cluster.dask_processes import DaskProcesses, read_results


def test_the_certificates_are_those_of_one_authority_and_their_keys_are_private(tmp_path):
    output = call_ok("certificates", tmp_path / "tls", "--days", 3)
    assert f"DASK_CONFIG={tmp_path / 'tls' / 'worker'} arbiter worker tls://HOST:8786" in output
    authorities = set()
    for role in ("scheduler", "worker", "client"):
        folder = tmp_path / "tls" / role
        authorities.add((folder / "authority.pem").read_bytes())
        assert stat.S_IMODE((folder / "key.pem").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        context = ssl.create_default_context(cafile=folder / "authority.pem")
        context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        settings = dask.config.collect([folder])["distributed"]["comm"]
        assert settings["require-encryption"] is True
        assert settings["tls"][role]["key"] == str(folder / "key.pem")
    assert len(authorities) == 1


def test_the_files_may_have_another_place_on_the_machines(tmp_path):
    assert "DASK_CONFIG=/etc/tls arbiter worker" in call_ok("certificates", tmp_path / "tls", "--place", "/etc/tls")
    settings = dask.config.collect([tmp_path / "tls" / "worker"])["distributed"]["comm"]
    assert settings["tls"]["ca-file"] == "/etc/tls/authority.pem"


ERRORS = {
    "a folder that exists": (["."], "arbiter: .: exists already; name a new folder\n"),
    "no folder for it": (["no/tls"], "arbiter: no/tls: cannot be written: No such file or directory\n"),
    "a relative place": (
        ["tls", "--place", "there"],
        "arbiter: --place there: must be an absolute path, such as /etc/arbiter-tls\n",
    ),
}


@pytest.mark.parametrize(("words", "error"), ERRORS.values(), ids=ERRORS.keys())
def test_errors(tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    result = call("certificates", *words)
    assert (result.exit_code, result.stderr) == (2, error)


def run(file, cluster, folder):
    """Run a tournament with the certificates of a folder."""
    command = [ARBITER, "run", file, "--cluster", cluster, "--sandbox", "process", "--force-jobs"]
    environment = os.environ | {"DASK_CONFIG": str(folder / "client")}
    return subprocess.run([*map(str, command)], env=environment, capture_output=True, text=True, check=False)


def test_only_programs_with_the_right_certificates_take_part(tmp_path, monkeypatch):
    for name in ("right", "wrong"):
        call_ok("certificates", tmp_path / name)
    file = write_tournament(tmp_path, bots=("random", "stdlib"), games=2)
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path / "right" / "scheduler"))
    with DaskProcesses(tmp_path, comm__default_scheme="tls") as cluster:
        cluster.start_dask_worker(DASK_CONFIG=tmp_path / "right" / "worker")
        cluster.wait_for_workers()
        cluster.start_dask_worker(DASK_CONFIG=tmp_path / "wrong" / "worker")
        wrong = run(file, cluster.file, tmp_path / "wrong")
        right = run(file, cluster.file, tmp_path / "right")
        log = (tmp_path / "dask.log").read_text()
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(f"arbiter: --cluster {cluster.file}: there is no encrypted connection: ")
    assert wrong.stderr.count("\n") == 1
    assert right.returncode == 0, right.stderr
    assert len(read_results(file)[0]) == 2
    assert log.count("Register worker") == 1


def test_an_encrypted_cluster_needs_certificates(tmp_path):
    file = write_tournament(tmp_path, bots=("random", "stdlib"), games=2)
    result = run(file, "tls://127.0.0.1:1", tmp_path)
    assert result.returncode == 2
    assert result.stderr == (
        "arbiter: --cluster tls://127.0.0.1:1: needs certificates; make some with `arbiter certificates`, and set "
        "DASK_CONFIG to the folder `client`\n"
    )
