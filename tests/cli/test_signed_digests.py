"""Signed digests: made by `arbiter keys` and `arbiter verify`, checked by it and by the real ssh-keygen, and attacked."""

import json
import shutil
import subprocess

import pytest
from cli.command_line import call, call_ok, call_refused
from tournament.rulings import withdraw

from arbiter.signatures import sign


@pytest.fixture
def signed(played, tmp_path):
    """Sign the digest of results with a new key."""
    results = shutil.copy(played.parent / "results/club.sqlite", tmp_path / "club.sqlite")
    call_ok("keys", tmp_path / "key", "--name", "ann of the club")
    call_ok("verify", results, "--publish", tmp_path / "digest.json", "--sign", tmp_path / "key")
    return results


def verify(results, *options):
    folder = results.parent
    result = call("verify", results, "--signature", folder / "digest.json", "--json", *options)
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def keygen(folder, *words, data=b""):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("allowed: ssh-keygen is not installed")
    return subprocess.run(["ssh-keygen", *words], cwd=folder, input=data, capture_output=True, check=False)


def test_a_signed_digest_is_checked_and_stays_valid(signed, tmp_path):
    output = call_ok("verify", signed, "--signature", tmp_path / "digest.json")
    assert "for 12 games by the key SHA256:" in output
    assert "compare it with the key that the organiser published" in output
    code, found = verify(signed, "--key", tmp_path / "key.pub")
    assert (code, found["faults"], found["signature"]["is_known_key"]) == (0, [], True)
    withdraw(signed, "random")  # adds a link
    assert verify(signed, "--key", tmp_path / "key.pub")[0] == 0
    statement = json.loads((tmp_path / "digest.json").read_text())
    assert statement["type"] == "digest of results"
    assert statement["tournament"] == found["tournament"]
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_ssh_keygen_accepts_the_key_and_the_signature_and_the_other_way_round(signed, tmp_path):
    public = (tmp_path / "key.pub").read_text()
    (tmp_path / "signers").write_text(f"organiser {public}")
    check = ("-Y", "verify", "-f", "signers", "-I", "organiser", "-n", "arbiter-results", "-s", "digest.json.sig")
    digest = (tmp_path / "digest.json").read_bytes()
    assert keygen(tmp_path, *check, data=digest).returncode == 0
    assert keygen(tmp_path, *check, data=digest + b" ").returncode != 0
    listed = keygen(tmp_path, "-l", "-f", "key.pub").stdout.decode()
    assert verify(signed)[1]["signature"]["key"] in listed
    assert "ann of the club" in listed
    (tmp_path / "digest.json.sig").unlink()
    assert keygen(tmp_path, "-Y", "sign", "-n", "arbiter-results", "-f", "key", "digest.json").returncode == 0
    assert verify(signed, "--key", tmp_path / "key.pub")[0] == 0
    (tmp_path / "digest.json.sig").unlink()
    assert keygen(tmp_path, "-Y", "sign", "-n", "git", "-f", "key", "digest.json").returncode == 0
    assert verify(signed)[0] == 1  # signed for another purpose


def test_a_key_of_ssh_keygen_signs(signed, tmp_path):
    assert keygen(tmp_path, "-q", "-t", "ed25519", "-N", "", "-f", "own").returncode == 0
    call_ok("verify", signed, "--publish", tmp_path / "second.json", "--sign", tmp_path / "own")
    assert keygen(tmp_path, "-q", "-t", "ed25519", "-N", "secret", "-f", "locked").returncode == 0
    error = call_refused("verify", signed, "--publish", tmp_path / "third.json", "--sign", tmp_path / "locked")
    assert "passphrase" in error
    assert keygen(tmp_path, "-q", "-t", "ecdsa", "-N", "", "-f", "other").returncode == 0
    error = call_refused("verify", signed, "--publish", tmp_path / "third.json", "--sign", tmp_path / "other")
    assert "is not an Ed25519 key" in error
    assert not (tmp_path / "third.json").exists()


def change_the_digest(folder):
    text = (folder / "digest.json").read_text()
    (folder / "digest.json").write_text(text.replace('"games": 12', '"games": 11'))


def change_the_signature(folder):
    path = folder / "digest.json.sig"
    lines = path.read_text().splitlines()
    lines[-2] = lines[-2][::-1]
    path.write_text("\n".join(lines))


def sign_with_another_key(folder):
    for name in ("digest.json", "digest.json.sig"):
        (folder / name).unlink()
    call_ok("keys", folder / "thief")
    call_ok("verify", folder / "club.sqlite", "--publish", folder / "digest.json", "--sign", folder / "thief")


def sign_the_digest_of_another(folder):
    """Sign the statement of the organiser, who names his key in it, with another key."""
    call_ok("keys", folder / "thief")
    signature, _ = sign((folder / "thief").read_bytes(), (folder / "digest.json").read_bytes())
    (folder / "digest.json.sig").write_text(signature)


def sign_other_results(folder):
    """Sign a digest that is correct, of results with one change, with the right key."""
    for name in ("digest.json", "digest.json.sig"):
        (folder / name).unlink()
    other = shutil.copy(folder / "club.sqlite", folder / "other.sqlite")
    withdraw(other, "random")
    call_ok("verify", other, "--publish", folder / "digest.json", "--sign", folder / "key")


ATTACKS = {
    change_the_digest: "its signature is wrong",
    change_the_signature: "its signature is wrong",
    sign_with_another_key: "was signed with another key",
    sign_the_digest_of_another: "names another key",
    sign_other_results: "is not part of its history",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_forgeries_are_found(signed, tmp_path, attack):
    attack(tmp_path)
    code, found = verify(signed, "--key", tmp_path / "key.pub")
    assert code == 1
    assert any(ATTACKS[attack] in fault for fault in found["faults"])


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff" * 99, b"[" * 5000, b'{"type":"digest of results"}', b"x" * 10**6]
)
@pytest.mark.parametrize("name", ["digest.json", "digest.json.sig", "key.pub"])
def test_damaged_files_are_one_line(signed, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    result = call("verify", signed, "--signature", tmp_path / "digest.json", "--key", tmp_path / "key.pub")
    assert result.exit_code in (1, 2)
    assert "Traceback" not in result.stderr + result.stdout
    assert result.exit_code == 1 or result.stderr.count("\n") == 1


def test_nothing_is_overwritten_and_nothing_wrong_is_signed(signed, tmp_path):
    files = ("--publish", tmp_path / "digest.json", "--sign", tmp_path / "key")
    assert "already exists" in call_refused("verify", signed, *files)
    assert "already exists" in call_refused("keys", tmp_path / "key")
    assert "add --publish" in call_refused("verify", signed, "--sign", tmp_path / "key")
    assert "add --signature" in call_refused("verify", signed, "--key", tmp_path / "key.pub")
    new = ("--publish", tmp_path / "new.json", "--sign", tmp_path / "key.pub")
    assert "key.pub: is not a private key" in call_refused("verify", signed, *new)
    assert call("verify", signed, "--digest", "00", "--publish", tmp_path / "new.json").exit_code == 1
    assert not (tmp_path / "new.json").exists()


def test_the_report_offers_the_signed_digest(signed, tmp_path):
    call_ok("report", signed, "-o", tmp_path / "site", "--signature", tmp_path / "digest.json")
    for name in ("digest.json", "digest.json.sig"):
        assert (tmp_path / "site/downloads" / name).read_bytes() == (tmp_path / name).read_bytes()
    assert "downloads/digest.json.sig" in "".join(page.read_text() for page in (tmp_path / "site").glob("*.html"))
    sign_other_results(tmp_path)
    options = ("-o", tmp_path / "site2", "--signature", tmp_path / "digest.json")
    assert "is not a digest of" in call_refused("report", signed, *options)
