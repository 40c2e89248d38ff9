"""Validate a crate as the RO-Crate project's own validator does, without a network.

The validator is imported where it is used: tests beside those that need it run without it.
"""

import io
from dataclasses import dataclass
from pathlib import Path

from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from configs import ROOT

CONTEXTS = {
    "https://w3id.org/ro/crate/1.1/context": "ro-crate-1.1-context.jsonld",
    "https://w3id.org/ro/terms/workflow-run/context": "workflow-run-context.json",
}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the validator found, and how many of its checks it reached."""

    issues: list[str]
    checks: int
    passed: int
    skipped: int


class Shelf(HTTPAdapter):
    """Answers with the copies of the contexts that lie in tests/data/rocrate."""

    def send(self, request, **_):
        content = io.BytesIO((ROOT / "tests/data/rocrate" / CONTEXTS[request.url]).read_bytes())
        headers = {"Content-Type": "application/ld+json"}
        answer = HTTPResponse(content, headers, 200, preload_content=False, request_url=request.url)
        return self.build_response(request, answer)


def filled_cache(path: Path) -> Path:
    """Return the path of a cache that holds the contexts, for the validator."""
    from requests_cache import CachedSession

    session = CachedSession(str(path), backend="sqlite", expire_after=-1)
    session.mount("https://", Shelf())
    for address in CONTEXTS:
        session.get(address)
    session.close()
    return path


def validate(crate: Path, cache: Path) -> Outcome:
    """Validate the crate in a folder by the profile's requirements, offline, with the contexts from `cache`."""
    from rocrate_validator import services
    from rocrate_validator.models import Severity

    found = services.validate(
        {
            "rocrate_uri": str(crate),
            "profile_identifier": "provenance-run-crate",
            "requirement_severity": Severity.REQUIRED,
            "cache_path": cache,
            "cache_max_age": -1,
            "offline": True,
        }
    )
    counts = found.statistics.statistics
    return Outcome(
        issues=[str(issue.message) for issue in found.get_issues()],
        checks=len(counts["checks"]),
        passed=len(counts["passed_checks"]),
        skipped=len(counts["skipped_checks"]),
    )
