"""Get one dataset, check it and decode it."""

from pathlib import Path

from fetching.dataset import prepare
from lineage.job import tracked

if __name__ == "__main__":
    name = snakemake.wildcards.dataset
    with tracked(snakemake, __file__) as sources:
        sources += prepare(
            settings={"name": name, **snakemake.config["datasets"][name]},
            data=Path(snakemake.output.data),
            checksum=Path(snakemake.output.checksum),
        )
