"""Trains one model on one device and records what it took."""

import sys
from pathlib import Path

from lineage.job import tracked
from measuring.cores import affinity
from measuring.exclusive import is_shared
from measuring.lease import leased_gpu
from measuring.settings import RunSettings
from planning.progress import study_progress

if __name__ == "__main__":
    affinity()  # looked at now: torch's import may bind this thread to one CPU
    settings = RunSettings.from_json(snakemake.params.settings)
    with tracked(snakemake, __file__), leased_gpu(settings.device.gpus) as lease_s:
        from measuring.run import record_run  # not earlier: it imports torch, which is to see the leased GPU alone

        record_run(
            settings=settings,
            key=snakemake.wildcards.key,
            code_sha256=snakemake.params.code,
            repeat=int(snakemake.wildcards.repeat),
            threads_granted=snakemake.threads,
            shared=is_shared(snakemake.resources.timing_slot),
            lease_s=lease_s,
            data=Path(snakemake.input.data),
            checksum=Path(snakemake.input.checksum),
            record=Path(snakemake.output.record),
            epochs=Path(snakemake.output.epochs),
            steps=Path(snakemake.output.steps),
        )
        print(study_progress(Path("results/logs/plan.json"), Path("results")) or "", file=sys.stderr)
