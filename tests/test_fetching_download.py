import hashlib
import socket
import time

import pytest

from fetching.download import download
from fetching.failures import SourceError
from fetching.published import Archive
from fetching_fakes import send, web_server

CONTENT = b"cifar" * 1000


def archive_at(url):
    return Archive(url=url, file="file.tar.gz", md5=hashlib.md5(CONTENT).hexdigest())


def test_a_file_with_the_published_md5_is_kept(tmp_path):
    with web_server(send(CONTENT)) as url:
        assert download(archive_at(url), tmp_path, 5).read_bytes() == CONTENT


def test_a_web_page_with_status_200_is_refused_with_both_checksums(tmp_path):
    page = b"<html>Our site moved</html>"
    with web_server(send(page)) as url, pytest.raises(SourceError) as failure:
        download(archive_at(url), tmp_path, 5)
    assert hashlib.md5(CONTENT).hexdigest() in str(failure.value)
    assert hashlib.md5(page).hexdigest() in str(failure.value)
    assert not list(tmp_path.iterdir())


def test_a_flipped_bit_is_refused(tmp_path):
    flipped = bytes([CONTENT[0] ^ 1]) + CONTENT[1:]
    with web_server(send(flipped)) as url, pytest.raises(SourceError, match="another file than the published one"):
        download(archive_at(url), tmp_path, 5)


def test_an_error_status_is_named(tmp_path):
    with web_server(send(b"", status=503)) as url, pytest.raises(SourceError, match=r"127\.0\.0\.1 .*HTTP status 503"):
        download(archive_at(url), tmp_path, 5)


def test_a_transfer_that_breaks_off_is_refused(tmp_path):
    with web_server(send(CONTENT[:100], claim=len(CONTENT))) as url, pytest.raises(SourceError, match="broke off"):
        download(archive_at(url), tmp_path, 5)
    assert not list(tmp_path.iterdir())


def test_a_host_that_never_answers_is_left_at_the_deadline(tmp_path):
    start = time.monotonic()
    with (
        web_server(lambda request: time.sleep(1.5)) as url,
        pytest.raises(SourceError, match=r"did not deliver|stopped sending"),
    ):
        download(archive_at(url), tmp_path, 0.3)
    assert time.monotonic() - start < 1.4


def test_a_host_that_trickles_is_left_at_the_deadline(tmp_path):
    def trickle(request):
        request.send_response(200)
        request.send_header("Content-Length", "1000000")
        request.end_headers()
        for _ in range(20):  # never silent for as long as the deadline
            request.wfile.write(b"x")
            time.sleep(0.05)

    start = time.monotonic()
    with web_server(trickle) as url, pytest.raises(SourceError, match=r"did not deliver within 0\.4 s"):
        download(archive_at(url), tmp_path, 0.4)
    assert time.monotonic() - start < 0.9


def test_a_port_that_nobody_listens_on_is_said_to_refuse(tmp_path):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/file.tar.gz"
        with pytest.raises(SourceError, match="refused or broke the connection"):
            download(archive_at(url), tmp_path, 5)


def test_a_name_without_an_address_is_said_to_be_unknown(tmp_path):
    with pytest.raises(SourceError, match=r"nowhere\.invalid is not known here"):
        download(archive_at("http://nowhere.invalid/file.tar.gz"), tmp_path, 5)
