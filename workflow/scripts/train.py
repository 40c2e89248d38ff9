"""Trains one model on one device and records what it took."""

import sys
from pathlib import Path

from lineage.job import tracked
from measuring.run import record_run
from measuring.settings import RunSettings
from planning.progress import study_progress

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        record_run(
            settings=RunSettings.from_json(snakemake.params.settings),
            key=snakemake.wildcards.key,
            code_sha256=snakemake.params.code,
            repeat=int(snakemake.wildcards.repeat),
            threads_granted=snakemake.threads,
            data=Path(snakemake.input.data),
            checksum=Path(snakemake.input.checksum),
            record=Path(snakemake.output.record),
            epochs=Path(snakemake.output.epochs),
            steps=Path(snakemake.output.steps),
        )
        print(study_progress(Path("results/logs/plan.json"), Path("results")) or "", file=sys.stderr)
