"""Collect the records into runs.csv and epochs.csv."""

from lineage.job import tracked
from reporting.collect import collect

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        collect(
            records=snakemake.input.records,
            epochs=snakemake.input.epochs,
            planned=snakemake.params.planned,
            schema=snakemake.input.schema,
            quiet=snakemake.params.quiet,
            cost=snakemake.params.cost,
            runs_output=snakemake.output.runs,
            epochs_output=snakemake.output.epochs,
        )
