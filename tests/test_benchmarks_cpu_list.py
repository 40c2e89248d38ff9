from cpu_list import cpu_set


def test_cpus_are_named_as_for_taskset():
    assert cpu_set("0-2,5") == {0, 1, 2, 5}
