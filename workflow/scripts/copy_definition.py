"""Put the workflow's contents page beside the results that it describes."""

import shutil

from lineage.job import tracked

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        shutil.copyfile(snakemake.params.workflow, snakemake.output.definition)
