# How much faster does a GPU train a network than a CPU, and from which size on does it pay?
# `snakemake --cores all --resources gpu=1` makes what `rule all` lists; config/README.md explains the configuration.
import sys
from snakemake.sourcecache import LocalSourceFile
from snakemake.utils import min_version

min_version("9.0")

if not isinstance(workflow.current_basedir, LocalSourceFile):
    sys.exit(
        "The Python packages of this workflow cannot be found from a URL: clone the repository and name the "
        "workflow/Snakefile of the clone."
    )


include: "workflow/rules/config_files.smk"


configfile: default_config()


report: "workflow/report/workflow.rst"


include: "workflow/rules/plan.smk"
include: "workflow/rules/data.smk"


if not config["study"]["only_existing"]:  # then records are files like any other: no rule may make one anew

    include: "workflow/rules/measure.smk"
    include: "workflow/rules/breakdown.smk"


include: "workflow/rules/report.smk"
include: "workflow/rules/validate.smk"
include: "workflow/rules/ablation.smk"
include: "workflow/rules/lineage.smk"


rule all:
    input:
        RUN_FILES,
        BREAKDOWNS,
        "results/tables/runs.csv",
        "results/tables/epochs.csv",
        "results/tables/speedup.csv",
        "results/tables/parity.csv",
        "results/tables/threads.csv",
        "results/tables/breakdown.csv",
        "results/tables/replication.csv",
        "results/figures/training_time.png",
        "results/figures/training_time.svg",
        "results/figures/speedup.png",
        "results/figures/speedup.svg",
        "results/figures/accuracy.png",
        "results/figures/accuracy.svg",
        "results/figures/parity.png",
        "results/figures/parity.svg",
        "results/figures/breakdown.png",
        "results/figures/breakdown.svg",
        ABLATION,
        "results/ro-crate-metadata.json",
