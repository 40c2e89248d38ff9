"""A small copy of CIFAR-10 in each layout, with its checksums, and a web server: shared by tests/test_fetching_*.py."""

import hashlib
import io
import json
import pickle
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
from PIL import Image

from fetching.published import BATCHES, TEST_BATCH, TRAIN_BATCHES, Archive, NpmPackage, Published

IMAGES = 20  # a batch, two of each class
NOWHERE = Archive(url="http://127.0.0.1:9/nothing.tar.gz", file="nothing.tar.gz", md5="0" * 32)


def fake_rows() -> dict[str, np.ndarray]:
    """Six batches in the binary layout, uint8 of shape (20, 3073)."""
    random = np.random.default_rng(7)
    rows = {batch: random.integers(0, 256, (IMAGES, 3073), dtype=np.uint8) for batch in BATCHES}
    for batch in BATCHES:
        rows[batch][:, 0] = random.permutation(np.arange(IMAGES) % 10)
    return rows


def fake_published(rows: dict[str, np.ndarray], **changes: object) -> Published:
    """The checksums of `rows`; no source on the network works unless `changes` names one."""
    pickles = {batch: python2_pickle(rows[batch]) for batch in BATCHES}
    fields = {
        "images_per_batch": IMAGES,
        "binary_sha256": {batch: hashlib.sha256(rows[batch].tobytes()).hexdigest() for batch in BATCHES},
        "python_md5": {batch: hashlib.md5(pickles[batch]).hexdigest() for batch in BATCHES},
        "author": NOWHERE,
        "zenodo": NOWHERE,
        "npm": NpmPackage(spec="no-such-package@0.0.0", sha256="0" * 64, bytes=1),
    }
    return Published(**(fields | changes))


class _Python2Pickler(pickle._Pickler):
    """Writes text and bytes as Python 2 wrote its strings, as in the published python batches."""

    def save_python2_string(self, text: str | bytes) -> None:
        text = text.encode() if isinstance(text, str) else text
        self.write(pickle.BINSTRING + len(text).to_bytes(4, "little") + text)

    dispatch: ClassVar = pickle._Pickler.dispatch | {str: save_python2_string, bytes: save_python2_string}


def python2_pickle(rows: np.ndarray) -> bytes:
    content = {b"batch_label": b"a batch", b"labels": rows[:, 0].tolist(), b"data": np.ascontiguousarray(rows[:, 1:])}
    stream = io.BytesIO()
    _Python2Pickler(stream, protocol=2).dump(content)
    return stream.getvalue().replace(b"numpy._core", b"numpy.core")  # where numpy 1 had it


def write_binary(folder: Path, rows: dict[str, np.ndarray]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for batch in BATCHES:
        rows[batch].tofile(folder / f"{batch}.bin")
    return folder


def write_python(folder: Path, rows: dict[str, np.ndarray]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for batch in BATCHES:
        (folder / batch).write_bytes(python2_pickle(rows[batch]))
    return folder


def write_png(folder: Path, rows: dict[str, np.ndarray]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for batch in BATCHES:
        pixels = rows[batch][:, 1:].reshape(IMAGES, 3, 1024).transpose(0, 2, 1)
        Image.fromarray(np.ascontiguousarray(pixels)).save(folder / f"{batch}.png")
    train = [int(label) for batch in TRAIN_BATCHES for label in rows[batch][:, 0]]
    (folder / "train_lables.json").write_text(json.dumps(train))
    (folder / "test_lables.json").write_text(json.dumps(rows[TEST_BATCH][:, 0].tolist()))
    return folder


def pack_folder(folder: Path, archive: Path) -> Path:
    """A .tar.gz with `folder` as its top."""
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, arcname=folder.name)
    return archive


def as_archive(path: Path, url: str) -> Archive:
    """What a site would publish about the file at `path`."""
    return Archive(url=url, file=path.name, md5=hashlib.md5(path.read_bytes()).hexdigest())


@contextmanager
def web_server(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Serve `answer` to every request on 127.0.0.1; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/file.tar.gz"
    finally:
        server.shutdown()
        server.server_close()


def send(content: bytes, status: int = 200, claim: int | None = None) -> Callable[[BaseHTTPRequestHandler], None]:
    """An answer with `content`, whose header claims `claim` bytes."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(content) if claim is None else claim))
        request.end_headers()
        request.wfile.write(content)

    return answer
