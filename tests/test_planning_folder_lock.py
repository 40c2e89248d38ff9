import subprocess
import sys

import pytest

from configs import ROOT
from lineage.job import UserError
from planning.folder_lock import WORK, hold_folder, require_free

HOLD = """
import subprocess, sys
from pathlib import Path
from planning.folder_lock import WORK, hold_folder
hold_folder(WORK, Path(sys.argv[1]))
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(
        command, cwd=ROOT / "workflow/scripts", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        child = int(process.stdout.readline())
        yield process
        process.kill()
        subprocess.run(["kill", str(child)], check=True)  # it outlived its parent


def test_a_held_folder_is_refused_in_one_sentence_that_names_folder_and_holder(tmp_path, holder):
    with pytest.raises(UserError) as refusal:
        require_free(WORK, tmp_path)
    assert f"Another run is at work in {tmp_path} (process {holder.pid} on " in str(refusal.value)


def test_a_killed_holder_frees_the_folder_although_its_child_lives(tmp_path, holder):
    holder.kill()
    holder.wait()
    require_free(WORK, tmp_path)


def test_a_folder_that_was_found_free_is_not_held(tmp_path):
    require_free(WORK, tmp_path)
    require_free(WORK, tmp_path)


def test_two_folders_are_held_at_once(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        hold_folder(WORK, tmp_path / name)
