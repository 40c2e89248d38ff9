"""Judge the study's claims and audit its table: replication.csv."""

from lineage.job import tracked
from reporting.judge import judge

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        judge(
            runs=snakemake.input.runs,
            speedup=snakemake.input.speedup,
            parity=snakemake.input.parity,
            breakdown=snakemake.input.breakdown,
            published=snakemake.input.published,
            statistics=snakemake.params.statistics,
            output=snakemake.output.replication,
        )
