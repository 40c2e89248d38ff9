import pytest

from measuring.software import describe_software, onednn_version


@pytest.mark.parametrize(
    ("build", "version"),
    [("- Intel(R) MKL-DNN v3.12.0 (Git", "3.12.0"), ("- oneDNN v4.0 (", "4.0"), ("USE_MKLDNN=0", None)],
)
def test_the_version_of_onednn_stands_in_torchs_own_description(build, version):
    assert onednn_version(build) == version


def test_the_build_of_torch_is_one_line():
    software = describe_software()
    assert "\n" not in software["torch_build"] and "PyTorch built with" in software["torch_build"]
