"""Compare CPU and GPU runs: speedup.csv, parity.csv and threads.csv."""

from lineage.job import tracked
from reporting.compare import compare

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        compare(
            runs=snakemake.input.runs,
            statistics=snakemake.params.statistics,
            speedup_output=snakemake.output.speedup,
            parity_output=snakemake.output.parity,
            threads_output=snakemake.output.threads,
        )
