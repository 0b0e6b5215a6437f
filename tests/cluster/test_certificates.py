"""Encrypted clusters: certificates, and programs with other ones or without."""

import ssl
import stat

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament
from cluster.dask_processes import DaskProcesses, read_results
from ports import reserve_port

from arbiter.cluster import connect


def test_the_certificates_are_those_of_one_authority_and_their_keys_are_private(tmp_path):
    output = call_ok("certificates", tmp_path / "tls", "--days", 3)
    assert f"arbiter worker tls://HOST:8786 --tls {tmp_path / 'tls'}\n" in output
    authorities = set()
    for role in ("scheduler", "worker", "client"):
        folder = tmp_path / "tls" / role
        authorities.add((folder / "authority.pem").read_bytes())
        assert stat.S_IMODE((folder / "key.pem").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        context = ssl.create_default_context(cafile=folder / "authority.pem")
        context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    assert len(authorities) == 1


ERRORS = {
    "a folder that exists": (["."], "arbiter: .: exists already; name a new folder\n"),
    "no folder for it": (["no/tls"], "arbiter: no/tls: cannot be written: No such file or directory\n"),
}


@pytest.mark.parametrize(("words", "error"), ERRORS.values(), ids=ERRORS.keys())
def test_errors(tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    result = call("certificates", *words)
    assert (result.exit_code, result.stderr) == (2, error)


def test_only_programs_with_the_right_certificates_take_part(tmp_path, encrypted):
    wrong = tmp_path / "wrong"
    call_ok("certificates", wrong)
    file = write_tournament(tmp_path, bots=("random", "stdlib"), games=2)
    words = ("run", file, "--cluster", encrypted.file)
    start = f"arbiter: --cluster {encrypted.file}: "
    assert call_refused(*words, "--tls", wrong).startswith(f"{start}there is no encrypted connection: ")
    assert call_refused(*words).startswith(f"{start}needs certificates; add --tls FOLDER ")
    call_ok(*words, "--tls", encrypted.folder / "tls" / "client")
    _host, port = encrypted.address
    plain = f"tcp://127.0.0.1:{port}"
    worker = call_refused("worker", plain, "--tls", wrong)
    assert len(read_results(file)[0]) == 2
    assert worker == f"arbiter: arbiter worker {plain}: {plain} is not encrypted; use tls://127.0.0.1:{port}"


def test_certificates_in_the_settings_of_dask_are_used(tmp_path, monkeypatch):
    call_ok("certificates", tmp_path / "tls")
    names = {"ca_file": "authority.pem", "scheduler__cert": "certificate.pem", "scheduler__key": "key.pem"}
    for name, file in names.items():
        monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name.upper()}", str(tmp_path / "tls" / "scheduler" / file))
    with DaskProcesses(tmp_path) as cluster:
        cluster.wait_until_logged("Scheduler at")
        assert "tls://127.0.0.1:" in (tmp_path / "dask.log").read_text()


def test_damaged_certificates_are_one_line(tmp_path):
    call_ok("certificates", tmp_path / "tls")
    (tmp_path / "tls" / "scheduler" / "key.pem").write_text("")
    assert call_refused("scheduler", "--tls", tmp_path / "tls").startswith("arbiter: ")


@pytest.mark.parametrize("scheme", ["tcp", "tls"])
def test_a_scheduler_that_does_not_run_is_no_fault_of_the_certificates(tmp_path, monkeypatch, scheme):
    monkeypatch.setattr(connect, "_CONNECT_S", 0.5)
    call_ok("certificates", tmp_path / "tls")
    certificates = ("--tls", tmp_path / "tls") if scheme == "tls" else ()
    with reserve_port() as port:
        address = f"{scheme}://127.0.0.1:{port}"
        error = call_refused("doctor", "--cluster", address, *certificates)
    reason = error.removeprefix(f"arbiter: --cluster {address}: there is no scheduler: ")
    reason = reason.removesuffix("; start one with `arbiter scheduler`")
    # Dask tries again for a while; on a busy machine, its last try may begin too late.
    assert reason in {"Connection refused", f"Timed out trying to connect to {address} after 0.5 s"}


def test_logs_are_those_of_a_cluster():
    assert call_refused("doctor", "--logs", "attic") == (
        "arbiter: --logs: is for the workers of a cluster; add --cluster ADDRESS"
    )
