import subprocess
import sys

from lineage import locks

HOLDER = "import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()"


def test_a_file_is_locked_once_and_free_when_its_holder_was_killed(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        holder.stdout.readline()
        with path.open() as file:
            assert not locks.locked(file)
            holder.kill()
            holder.wait()
            assert locks.locked(file) and locks.locked(file.fileno())


def test_without_locks_every_file_counts_as_locked_by_us(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    with (tmp_path / "file").open("w") as file:
        assert locks.locked(file)
