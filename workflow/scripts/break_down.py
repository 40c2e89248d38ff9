"""Takes the training steps of one model on one device apart and records where their time goes."""

from pathlib import Path

from lineage.job import tracked
from measuring.breakdown.run import record_breakdown
from measuring.breakdown.settings import BreakdownSettings

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        record_breakdown(
            settings=BreakdownSettings.from_json(snakemake.params.settings),
            key=snakemake.wildcards.key,
            code_sha256=snakemake.params.code,
            repeat=int(snakemake.wildcards.repeat),
            threads_granted=snakemake.threads,
            data=Path(snakemake.input.data),
            checksum=Path(snakemake.input.checksum),
            record=Path(snakemake.output.record),
        )
