"""Collect the records of the instrumented passes into breakdown.csv."""

from lineage.job import tracked
from reporting.breakdown import collect_breakdown

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        collect_breakdown(
            records=snakemake.input.records,
            planned=snakemake.params.planned,
            schema=snakemake.input.schema,
            run_schema=snakemake.input.run_schema,
            statistics=snakemake.params.statistics,
            quiet=snakemake.params.quiet,
            output=snakemake.output.breakdown,
        )
