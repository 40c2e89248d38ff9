"""Get one dataset, check it and decode it."""

import json
from pathlib import Path

from fetching.dataset import prepare
from lineage.job import tracked

if __name__ == "__main__":
    definition = snakemake.config["datasets"][snakemake.wildcards.dataset]
    with tracked(snakemake, __file__) as sources:
        sources += prepare(
            settings=json.loads(snakemake.params.settings) | {"local_path": definition.get("local_path")},
            data=Path(snakemake.output.data),
            checksum=Path(snakemake.output.checksum),
        )
