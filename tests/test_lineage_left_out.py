from lineage.left_out import NAME, read


def test_a_copy_without_a_list_has_left_out_nothing(tmp_path):
    assert read(tmp_path) == frozenset()


def test_each_line_of_the_list_is_a_name(tmp_path):
    (tmp_path / NAME).write_text("results/data/cifar10.npz\nresults/a b.csv\n", encoding="utf-8")
    assert read(tmp_path) == {"results/data/cifar10.npz", "results/a b.csv"}
