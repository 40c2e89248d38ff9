"""Download one file over HTTP, check it, and say in one sentence why that failed."""

from pathlib import Path
from urllib.parse import urlsplit

import pooch
import requests

from fetching.deadline import within
from fetching.failures import SourceError, is_of_our_disk
from fetching.progress import Progress
from fetching.published import Archive

CONNECT_S = 10.0  # for each address of the host
SILENCE_S = 30.0  # without a byte
CHUNK_BYTES = 65_536


def download(archive: Archive, folder: Path, timeout_s: float) -> Path:
    """Return the path of the checked file in `folder`.

    Raises SourceError when the host does not serve the published file within `timeout_s` seconds in all.
    """
    pooch.get_logger().setLevel("WARNING")
    host = urlsplit(archive.url).hostname
    progress = Progress(f"{archive.file} from {host}")
    try:
        within(timeout_s, lambda: _retrieve(archive, folder, progress, timeout_s))
    except TimeoutError as error:
        raise SourceError(f"{host} did not deliver within {timeout_s:g} s ({progress.line()})") from error
    except (requests.RequestException, OSError, ValueError) as error:
        if is_of_our_disk(error):
            raise
        raise SourceError(f"{host} {_reason(error)}") from error
    finally:
        progress.stop()
    return folder / archive.file


def _retrieve(archive: Archive, folder: Path, progress: Progress, timeout_s: float) -> None:
    fetch = pooch.HTTPDownloader(
        progressbar=progress,
        chunk_size=CHUNK_BYTES,
        timeout=(min(CONNECT_S, timeout_s), min(SILENCE_S, timeout_s)),
        headers={"Accept-Encoding": "identity"},  # the bytes as they are published
    )
    pooch.retrieve(archive.url, f"md5:{archive.md5}", fname=archive.file, path=folder, downloader=fetch)


def _reason(error: Exception) -> str:
    """Return what went wrong, as the end of a sentence that begins with the host's name."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"answered with HTTP status {error.response.status_code}"
    if isinstance(error, ValueError) and "does not match the known hash" in str(error):
        return f"served another file than the published one ({str(error).split('. ')[0]})"
    for kind, mark, words in REASONS:
        if isinstance(error, kind) and mark in str(error):
            return words
    return f"could not be read ({type(error).__name__}: {error})"


# Kind of error, text in it, words for it; the first that fits counts. requests wraps some kinds in others.
REASONS: tuple[tuple[type[Exception], str, str], ...] = (
    (requests.exceptions.ProxyError, "", "could not be reached through the proxy that is set"),
    (requests.exceptions.SSLError, "", "has a certificate that is not trusted here"),
    (requests.exceptions.ConnectTimeout, "", "gave no connection in time"),
    (requests.exceptions.ReadTimeout, "", "stopped sending"),
    (requests.exceptions.ChunkedEncodingError, "", "broke off before the end of the file"),
    (requests.exceptions.ConnectionError, "NameResolution", "is not known here (no network, or no name service)"),
    (requests.exceptions.ConnectionError, "timed out", "stopped sending"),
    (requests.exceptions.ConnectionError, "", "refused or broke the connection"),
)
