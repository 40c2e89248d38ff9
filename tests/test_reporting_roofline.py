import pytest

from records import Run, tables
from reporting.roofline import roofline_ms, with_best_ceilings
from reporting.tables import RUN_COLUMNS, read_table

GPU = {"device": "cuda", "gpus": 1}
ARITHMETIC_MS = 1000 * 500_000 / 3910 * 2e8 / 4e12  # 500,000 images in 3910 steps of 2e8 FLOP each at 4e12 FLOP/s


def floors(folder, runs):
    """The floor of each run of the table that these make."""
    table = with_best_ceilings(read_table(tables(folder, runs) / "runs.csv", RUN_COLUMNS))
    return [roofline_ms(row) for _, row in table.iterrows()]


def rates(flop_per_s, bytes_per_s=1e11, precision="fp32"):
    names = ("ceiling_flop_per_s", "ceiling_bytes_per_s", "ceiling_precision")
    return dict(zip(names, (flop_per_s, bytes_per_s, precision), strict=True))


def test_the_floor_is_the_larger_of_arithmetic_and_the_optimizers_bytes(tmp_path):
    assert floors(tmp_path / "a", [Run()]) == [pytest.approx(ARITHMETIC_MS)]
    # 28 bytes of each of 11,689,512 weights at 1e9 bytes/s take 327 ms
    assert floors(tmp_path / "b", [Run(changes=rates(4e12, 1e9))]) == [pytest.approx(1000 * 28 * 11_689_512 / 1e9)]
    assert floors(tmp_path / "c", [Run(changes=rates(None, None))]) == [None]


def test_the_best_rate_of_any_repeat_recipe_and_model_is_the_ceiling_of_the_device(tmp_path):
    runs = [Run(changes=rates(1e12)), Run(repeat=2, changes=rates(2e12)), Run(recipe="tuned", changes=rates(None))]
    runs += [Run(model="simple_cnn", recipe="tuned", changes=rates(4e12))]
    assert floors(tmp_path, runs) == [pytest.approx(ARITHMETIC_MS)] * 4


def test_other_devices_and_other_arithmetic_have_ceilings_of_their_own(tmp_path):
    runs = [Run(changes=rates(2e12)), Run(device="cpu_4", changes=rates(4e12)), Run(changes=rates(4e12), **GPU)]
    runs += [Run(recipe="tuned_bf16", changes=rates(5e12, precision="bf16"))]
    factors = [2, 1, 1, 0.8]
    assert floors(tmp_path, runs) == [pytest.approx(factor * ARITHMETIC_MS) for factor in factors]


def test_a_copy_has_no_arithmetic_so_its_best_rate_is_that_of_every_recipe(tmp_path):
    runs = [Run(changes=rates(None, 1e9)), Run(recipe="tuned_bf16", changes=rates(None, 2e9, "bf16"))]
    assert floors(tmp_path, runs) == [pytest.approx(1000 * 28 * 11_689_512 / 2e9)] * 2


def test_sgd_reads_a_weight_and_its_gradient_and_writes_the_weight(tmp_path):
    sgd = {"settings.recipe.optimizer": "sgd"}
    floor_ms = 1000 * 12 * 11_689_512 / 1e9
    assert floors(tmp_path / "a", [Run(changes=sgd | rates(4e12, 1e9))]) == [pytest.approx(floor_ms)]
    assert floors(tmp_path / "b", [Run(changes=sgd | rates(None, None))]) == [None]  # unknown, not 0
