"""Describe the results as an RO-Crate."""

from crating.write import write_crate
from lineage.job import tracked

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        write_crate(
            files=snakemake.input.files,
            about=snakemake.params.about,
            definition=snakemake.input.definition,
            crate=snakemake.output.crate,
        )
