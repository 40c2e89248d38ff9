"""Put the time of a step by recipe into ablation.csv."""

from lineage.job import tracked
from reporting.ablation import tabulate_ablation

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        tabulate_ablation(
            runs=snakemake.input.runs,
            breakdown=snakemake.input.breakdown,
            statistics=snakemake.params.statistics,
            output=snakemake.output.ablation,
        )
