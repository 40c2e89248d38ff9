import gzip
from dataclasses import replace

import pytest
from test_measuring_progress import EPOCH

from measuring.record import write_epochs, write_record, write_steps


def test_an_epoch_is_a_row_and_what_was_not_evaluated_is_empty(tmp_path):
    write_epochs(tmp_path / "1.csv", [replace(EPOCH, eval_s=None, test_loss=None, test_accuracy=None)])
    assert (tmp_path / "1.csv").read_text() == (
        "epoch,images,steps,learning_rate,train_s,event_train_s,first_batch_s,eval_s,train_loss,test_loss,test_accuracy,"
        "involuntary_switches,cpu_share,steal_share,throttled_s,pressure_s,other_cpu_s,"
        "gpu_sm_clock_mhz,gpu_temperature_c,gpu_throttle_reasons,gpu_thermal_s,gpu_other_processes,cpu_frequency_mhz,"
        "cpu_temperature_c\n"
        "1,1000,10,0.001,10.0,9.5,0.5,,1.5,,,,,,,,,,,,,,,\n"
    )


def test_equal_samples_give_equal_files(tmp_path):
    epochs = [replace(EPOCH, step_s=[0.25, 0.5], step_images=[10, 5])]
    for name in ("a", "b"):
        write_steps(tmp_path / name, epochs)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    text = gzip.decompress((tmp_path / "a").read_bytes()).decode()
    assert text == "epoch,step,images,step_s\n1,1,10,0.250000000\n1,2,5,0.500000000\n"


def test_a_number_that_json_does_not_have_is_refused_and_leaves_no_file(tmp_path):
    with pytest.raises(ValueError):
        write_record(tmp_path / "1.json", {"train_s": float("nan")})
    assert list(tmp_path.iterdir()) == []
