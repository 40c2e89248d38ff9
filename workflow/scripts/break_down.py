"""Takes the training steps of one model on one device apart and records where their time goes."""

from pathlib import Path

from lineage.job import tracked
from measuring.breakdown.settings import BreakdownSettings
from measuring.cores import affinity
from measuring.exclusive import is_shared
from measuring.lease import leased_gpu

if __name__ == "__main__":
    affinity()  # looked at now: torch's import may bind this thread to one CPU
    settings = BreakdownSettings.from_json(snakemake.params.settings)
    with tracked(snakemake, __file__), leased_gpu(settings.run.device.gpus):
        from measuring.breakdown.run import record_breakdown  # not earlier: it imports torch

        record_breakdown(
            settings=settings,
            key=snakemake.wildcards.key,
            code_sha256=snakemake.params.code,
            repeat=int(snakemake.wildcards.repeat),
            threads_granted=snakemake.threads,
            shared=is_shared(snakemake.resources.timing_slot),
            data=Path(snakemake.input.data),
            checksum=Path(snakemake.input.checksum),
            record=Path(snakemake.output.record),
        )
