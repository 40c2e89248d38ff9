import multiprocessing
import os
import time

import psutil

from measuring.usage import read_usage


def test_work_of_this_process_shows_in_its_usage():
    before = read_usage()
    while read_usage().cpu_s < before.cpu_s + 0.05:
        sum(range(1000))


def busy(seconds, running, done):
    while time.process_time() < seconds:
        sum(range(1000))
    running.set()
    done.wait()


def test_loader_processes_count_while_they_run_and_after_they_ended():
    fork = multiprocessing.get_context("fork")
    running, done, before = fork.Event(), fork.Event(), read_usage()
    child = fork.Process(target=busy, args=(0.2, running, done), daemon=True)  # ends with a test that fails
    child.start()
    running.wait()
    during = read_usage()
    done.set()
    child.join()
    assert during.cpu_s - before.cpu_s > 0.15
    assert read_usage().cpu_s - before.cpu_s > 0.15


def test_a_loader_process_that_has_ended_unnoticed_counts_too():
    fork = multiprocessing.get_context("fork")
    running, done, before = fork.Event(), fork.Event(), read_usage()
    done.set()
    child = fork.Process(target=busy, args=(0.2, running, done))
    child.start()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked for its end yet
    assert read_usage().cpu_s - before.cpu_s > 0.15


def test_loader_processes_count_where_the_kernel_does_not_count_their_switches(monkeypatch):
    """Kernels of sandboxes leave the line out of /proc/*/status, for which psutil raises this error."""

    def fail(process):
        raise NotImplementedError

    monkeypatch.setattr(psutil.Process, "num_ctx_switches", fail)
    test_loader_processes_count_while_they_run_and_after_they_ended()
