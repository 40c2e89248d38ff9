import ast
from pathlib import Path

import numpy as np
import pytest
import torch

import independent_check
from configs import DEFAULT
from fetching.decode import decode
from fetching_fakes import fake_published, fake_rows, write_binary, write_png
from measuring.models import build_model
from measuring.settings import ModelSettings
from runs import made_images, save_images


def test_the_independent_script_imports_nothing_of_this_project():
    tree = ast.parse(Path(independent_check.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports for alias in node.names} | {getattr(node, "module", "") for node in imports}
    own = {path.name for path in Path("workflow/scripts").iterdir()} | {"configs", "runs"}
    assert names and not {str(name).partition(".")[0] for name in names} & own


@pytest.mark.parametrize("name", independent_check.MODELS)
def test_the_restated_networks_start_from_the_same_weights_as_the_studys(name):
    arguments = dict(DEFAULT["models"][name])
    torch.manual_seed(3)
    ours = build_model(ModelSettings(name=name, builder=arguments.pop("builder"), arguments=arguments))
    torch.manual_seed(3)
    restated = independent_check.MODELS[name]()
    assert str(restated) == str(ours)
    assert all(torch.equal(a, b) for a, b in zip(restated.parameters(), ours.parameters(), strict=True))


@pytest.mark.parametrize("write", [write_binary, write_png])
def test_the_independent_reader_finds_the_images_that_ours_finds(tmp_path, write):
    rows = fake_rows()
    ours = decode(write(tmp_path, rows), fake_published(rows))
    (train_images, train_labels), (test_images, test_labels) = independent_check.read(tmp_path)
    assert np.array_equal(train_images, ours["train_images"])
    assert np.array_equal(train_labels, ours["train_labels"])
    assert np.array_equal(test_images, ours["test_images"])
    assert np.array_equal(test_labels, ours["test_labels"])


def test_the_independent_script_reads_the_decoded_arrays(tmp_path):
    save_images(made_images(), tmp_path)
    (images, labels), _ = independent_check.read(tmp_path / "made.npz")
    assert images.shape == (105, 32, 32, 3) and labels.shape == (105,)
