from fetching.published import BATCHES, CIFAR10, ROW_BYTES, TEST_BATCH, TRAIN_BATCHES


def test_a_row_is_a_label_and_three_colours_of_32_by_32():
    assert ROW_BYTES == 1 + 3 * 32 * 32
    assert CIFAR10.images_per_batch * ROW_BYTES == 30_730_000  # bytes of each published binary batch


def test_every_batch_has_a_checksum_in_each_layout():
    assert (*TRAIN_BATCHES, TEST_BATCH) == BATCHES and len(BATCHES) == 6
    assert set(CIFAR10.binary_sha256) == set(CIFAR10.python_md5) == set(BATCHES)
    assert {len(digest) for digest in CIFAR10.binary_sha256.values()} == {64}
    assert {len(digest) for digest in CIFAR10.python_md5.values()} == {32}
    assert len(set(CIFAR10.binary_sha256.values())) == 6


def test_archives_come_from_named_sites_over_https_with_an_md5():
    for archive in (CIFAR10.author, CIFAR10.zenodo):
        assert archive.url.startswith("https://") and archive.file in archive.url
        assert len(archive.md5) == 32
