"""Bad input ends with one sentence and a non-zero exit before or without half-written results."""

import subprocess

import pytest

from workflow import copy_project, make, snakemake


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("errors"))


@pytest.mark.parametrize(
    ("overlay", "sentence"),
    [
        ({"study": {"repeat": 3}}, "config.study.repeat is 3, but there is no such key"),
        ({"recipes": {"smoke": {"batch_size": 0}}}, "config.recipes.smoke.batch_size is 0, expected a whole number"),
        ({"recipes": {"smoke": {"learning_rate": "1e-3"}}}, "learning_rate is '1e-3', expected a number above 0"),
        ({"devices": {"cpu": {"budget_s": -1}}}, "config.devices.cpu.budget_s is -1, expected null or a number"),
        (
            {"models": {"resnet18": {"builder": "resnet81"}}},
            "config.models.resnet18.builder is 'resnet81', expected simple_cnn or",
        ),
        (
            {"models": {"resnet18": {"num_clases": 10}}},
            "config.models.resnet18.num_clases is 10, but the builder resnet18 has no such argument",
        ),
        (
            {"study": {"devices": ["gpu0"]}},
            "config.study.devices names 'gpu0', which `devices` does not define, expected one of",
        ),
        ({"models": {"resnet18": {"num_classes": "10"}}}, "resnet18.num_classes is '10', expected a whole number"),
        ({"models": {"resnet18": {"builder": "vit_b_16"}}}, "config.models.resnet18.image_size is missing: the images"),
        ({"recipes": {"smoke": {"extends": "smoke"}}}, "smoke.extends runs in a circle (smoke -> smoke): break it."),
    ],
)
def test_a_bad_configuration_is_refused_before_any_job(project, overlay, sentence):
    done = snakemake(project, overlay=overlay)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr and "plan.smk" not in done.stderr
    assert not (project / "results").exists()


def test_a_gpu_that_is_absent_ends_its_run_with_one_sentence_and_no_record(tmp_path):
    folder = copy_project(tmp_path)
    done = snakemake(folder, overlay={"study": {"devices": ["xpu"], "models": ["simple_cnn"]}})
    assert done.returncode != 0
    assert "device type 'xpu' was asked for, but no kernel runs on it here" in done.stderr
    assert not list(folder.glob("results/runs/**/1.json"))


def test_data_that_cannot_be_had_ends_with_one_sentence_and_nothing_half_written(tmp_path):
    folder = copy_project(tmp_path)
    overlay = {
        "recipes": {"smoke": {"dataset": "cifar10"}},
        "datasets": {"cifar10": {"local_path": "no/such/folder", "sources": ["local", "author"]}},
    }
    unreachable = "http://127.0.0.1:9"
    done = snakemake(folder, "data", overlay=overlay, https_proxy=unreachable, HTTPS_PROXY=unreachable)
    assert done.returncode != 0
    assert "no/such/folder" in done.stderr and "author" in done.stderr
    assert [path for path in folder.glob("results/data/**/*") if path.is_file()] == []


def test_fewer_cores_than_a_device_asks_for_are_a_row_and_a_word_not_a_slow_baseline(tmp_path):
    folder = copy_project(tmp_path)
    overlay = {"study": {"devices": ["cpu"], "models": ["simple_cnn"]}, "devices": {"cpu": {"threads": 2}}}
    done = snakemake(folder, "--cores", "1", overlay=overlay)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = (folder / "results/tables/runs.csv").read_text()
    assert "refused" in rows and "the scheduler granted 1" in rows
    assert "smoke simple_cnn cpu #1: refused, threads: 2 means 2 here, but the scheduler granted 1" in done.stderr
    last = done.stderr[done.stderr.index("1 of 1 run and 1 of 1 breakdown did not end well: ") :]
    assert "smoke/simple_cnn/cpu #1 refused" in last and "breakdown of smoke/simple_cnn/cpu #1 refused" in last
    assert "`make retry CONFIG='config/smoke.yaml overlay.yaml'` runs them again" in last

    of_another_study = make(folder, "retry")
    assert of_another_study.returncode == 2 and of_another_study.stdout == ""
    assert "is to run again, but the default configuration asks for no such run" in of_another_study.stderr
    assert "MissingRule" not in of_another_study.stderr and (folder / "results/tables/runs.csv").read_text() == rows


@pytest.mark.parametrize("target", ["run", "test", "status", "retry"])
def test_an_environment_that_does_not_exist_is_one_sentence(project, target):
    done = subprocess.run(["make", target, "ENV=/nope"], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    sentence, make_itself = done.stderr.splitlines()
    assert sentence.startswith("ENV=/nope is no environment, expected a folder with bin/python")
    assert make_itself.startswith("make: *** ")


def test_without_a_study_nothing_is_run_again_and_nothing_reported(project):
    done = make(project, "retry")
    assert done.returncode == 0
    assert done.stderr.startswith("There is nothing to run again: no results/tables/runs.csv yet.") and not done.stdout
    done = make(project, "report")
    assert done.returncode == 2
    assert done.stderr.startswith("There are no results to report yet: make run makes them, make report-partial")
    assert not (project / "results").exists()


def test_a_dry_run_and_the_lint_warn_of_no_threads(project):
    for arguments in (["-n", "--cores", "1"], ["--lint", "--cores", "1"]):
        done = snakemake(project, *arguments, overlay={"devices": {"cpu": {"threads": 2}}})
        assert ".threads is" not in done.stdout + done.stderr
