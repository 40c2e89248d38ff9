"""replication.csv: what our runs say of each claim of the study, and the audit of its own table."""

from reporting.audit import audit_rows
from reporting.claims import Evidence, claim_rows
from reporting.claims_breakdown import breakdown_rows
from reporting.published import read_published
from reporting.statistics import StatisticsSettings
from reporting.tables import (
    BREAKDOWN_COLUMNS,
    PARITY_COLUMNS,
    REPLICATION_COLUMNS,
    RUN_COLUMNS,
    SPEEDUP_COLUMNS,
    read_table,
    write_table,
)


def judge(
    *, runs: str, speedup: str, parity: str, breakdown: str, published: str, statistics: str, output: str
) -> None:
    """Write replication.csv, one row a claim (for each model and pair of devices) and one an audit."""
    evidence = Evidence(
        runs=read_table(runs, RUN_COLUMNS),
        speedup=read_table(speedup, SPEEDUP_COLUMNS),
        parity=read_table(parity, PARITY_COLUMNS),
        published=read_published(published),
        settings=StatisticsSettings.from_json(statistics),
        runs_file=runs,
        speedup_file=speedup,
        parity_file=parity,
        published_file=published,
    )
    parts = breakdown_rows(evidence, read_table(breakdown, BREAKDOWN_COLUMNS), breakdown)
    rows = [*claim_rows(evidence), *parts, *audit_rows(evidence.published, published)]
    write_table(rows, REPLICATION_COLUMNS, output)
