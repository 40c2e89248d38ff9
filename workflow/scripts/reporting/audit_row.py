"""One row of the audit."""

from collections.abc import Sequence

from reporting.verdicts import Row

STEM_NAMES = {"imagenet_stem": "an ImageNet stem", "cifar_stem": "a CIFAR stem", "only": "a network of this kind"}


def audit_row(
    claim: str,
    statement: str,
    stated: object,
    ours: float | None,
    unit: str,
    verdict: str,
    reason: str,
    model: str,
    evidence: Sequence[str] = (),
) -> Row:
    """One row; the reason says what the arithmetic is, evidence names files beside that of the study."""
    names = {"claim": f"audit_{claim}", "model": model, "statement": statement, "stated": stated}
    return {**names, "ours": ours, "unit": unit, "verdict": verdict, "reason": reason, "evidence": list(evidence)}
