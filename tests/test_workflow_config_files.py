"""Configuration files that are no configuration, given to `make` and to the workflow engine itself."""

import pytest

from workflow import copy_project, make, snakemake


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("files"))


@pytest.mark.parametrize("target", ["data", "run", "report", "report-partial", "retry"])
def test_make_refuses_an_overlay_that_does_not_exist_before_the_engine_starts(project, target):
    done = make(project, target, "config/smok.yaml")
    assert done.returncode == 2
    assert "config/smok.yaml does not exist; did you mean config/smoke.yaml?" in done.stderr
    assert "snakemake" not in done.stderr.lower() and "Traceback" not in done.stderr


def test_make_lays_several_overlays_on_top_of_each_other_and_leaves_out_an_empty_one(project):
    (project / "empty.yaml").write_text("# nothing yet\n")
    (project / "small.yaml").write_text("datasets: {tiny: {train_images: 20}}\n")
    done = make(project, "data", "config/smoke.yaml empty.yaml small.yaml")
    assert done.returncode == 0, done.stderr[-3000:]
    (sidecar,) = project.glob("results/data/tiny/*.npz.prov.json")
    assert '\\"train_images\\": 20' in sidecar.read_text()


def test_a_key_that_stands_twice_is_refused_by_the_engine_too(project):
    (project / "twice.yaml").write_text("study:\n  repeats: 2\nstudy:\n  seed: 3\n")
    done = snakemake(project, "-n", "--configfile", "config/smoke.yaml", "twice.yaml")
    assert done.returncode == 1
    assert done.stdout.startswith("twice.yaml, line 3: the key `study` stands there for the second time")


def test_a_key_that_stands_twice_in_the_default_configuration_is_refused(tmp_path):
    folder = copy_project(tmp_path)
    with (folder / "config/config.yaml").open("a") as file:
        file.write("figures: {width_inches: 3.4, dpi: 300}\n")
    done = snakemake(folder, "-n")
    assert done.returncode == 1
    assert "config/config.yaml, line " in done.stdout and "the key `figures` stands there" in done.stdout
