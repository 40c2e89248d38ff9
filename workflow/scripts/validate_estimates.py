"""Hold estimated training times against those that were measured: estimate_validation.csv and its summary."""

from lineage.job import tracked
from reporting.estimate_validation import validate_estimates

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        validate_estimates(
            records=snakemake.input.records,
            epochs=snakemake.input.epochs,
            steps=snakemake.input.steps,
            schema=snakemake.input.schema,
            devices=snakemake.params.devices,
            output=snakemake.output.table,
            summary_output=snakemake.output.summary,
        )
