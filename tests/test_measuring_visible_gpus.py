import pytest

from lineage.job import UserError
from measuring import visible_gpus as module
from measuring.visible_gpus import Gpu, list_gpus, parse_listing, visible_gpus

TWO = """\
GPU 0: NVIDIA H200 (UUID: GPU-1111aaaa-0000)
GPU 1: NVIDIA H200 (UUID: GPU-2222bbbb-0000)
"""
SPLIT = """\
GPU 0: NVIDIA A100 (UUID: GPU-1111aaaa-0000)
  MIG 3g.20gb     Device  0: (UUID: MIG-5555)
  MIG 3g.20gb     Device  1: (UUID: MIG-6666)
GPU 1: NVIDIA A100 (UUID: GPU-2222bbbb-0000)
"""
UNEQUAL = TWO.replace("1: NVIDIA H200", "1: NVIDIA T400")


def names(text, setting):
    return [gpu.name for gpu in visible_gpus(parse_listing(text), setting)]


def test_the_listing_gives_number_product_and_uuid():
    assert parse_listing(TWO)[1] == Gpu("GPU-2222bbbb-0000", "NVIDIA H200", index="1", whole="GPU-2222bbbb-0000")


def test_a_split_gpu_is_its_slices():
    assert [(gpu.name, gpu.kind) for gpu in parse_listing(SPLIT)] == [
        ("MIG-5555", "NVIDIA A100 MIG 3g.20gb"),
        ("MIG-6666", "NVIDIA A100 MIG 3g.20gb"),
        ("GPU-2222bbbb-0000", "NVIDIA A100"),
    ]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, ["GPU-1111aaaa-0000", "GPU-2222bbbb-0000"]),
        ("", []),
        ("1", ["GPU-2222bbbb-0000"]),
        ("1,0", ["GPU-2222bbbb-0000", "GPU-1111aaaa-0000"]),
        (" 0 , 0", ["GPU-1111aaaa-0000"]),
        ("GPU-2222", ["GPU-2222bbbb-0000"]),
        ("GPU-2222bbbb-0000,GPU-1111aaaa-0000", ["GPU-2222bbbb-0000", "GPU-1111aaaa-0000"]),
        ("-1", []),
        ("NoDevFiles", []),
        ("0,-1,1", ["GPU-1111aaaa-0000"]),  # what stands behind an unknown entry does not count
        ("7", []),
    ],
)
def test_the_setting_is_read_as_cuda_reads_it(setting, expected):
    assert names(TWO, setting) == expected


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("MIG-6666", ["MIG-6666"]),
        ("0", ["MIG-5555", "MIG-6666"]),
        ("GPU-1111", ["MIG-5555", "MIG-6666"]),
        ("MIG-GPU-1111aaaa-0000/1/0", ["MIG-GPU-1111aaaa-0000/1/0"]),
    ],
)
def test_slices_are_named_or_stand_for_their_gpu(setting, expected):
    assert names(SPLIT, setting) == expected


@pytest.mark.parametrize(
    ("setting", "expected"), [("2", ["2"]), ("GPU-9", ["GPU-9"]), ("-1", []), ("", []), (None, [])]
)
def test_without_a_listing_the_entries_themselves_are_the_names(setting, expected):
    assert names("", setting) == expected


@pytest.mark.parametrize("setting", [None, "0", "GPU-1,GPU-2"])
def test_gpus_of_several_kinds_are_refused(setting):
    with pytest.raises(UserError, match=r"several kinds \(NVIDIA H200, NVIDIA T400\): name those of one kind by UUID"):
        names(UNEQUAL, setting)


def test_one_of_several_kinds_can_be_named(monkeypatch):
    assert names(UNEQUAL, "GPU-1111") == ["GPU-1111aaaa-0000"]
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    assert names(UNEQUAL, "1") == ["GPU-2222bbbb-0000"]


def test_a_whole_gpu_and_slices_are_of_several_kinds():
    with pytest.raises(UserError, match="several kinds"):
        names(SPLIT, None)


def test_the_driver_is_asked(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{TWO}END\n")
    program.chmod(0o755)
    monkeypatch.setattr(module, "LISTING", (str(program), "-L"))
    assert [gpu.index for gpu in list_gpus()] == ["0", "1"]


def test_a_driver_that_is_absent_or_fails_lists_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "LISTING", (str(tmp_path / "absent"), "-L"))
    assert list_gpus() == []
    monkeypatch.setattr(module, "LISTING", ("false",))
    assert list_gpus() == []
