# Describes what was made, by which job and from what, for others: an RO-Crate, from the sidecars alone.
from lineage.digest import fingerprint

# Tables that another target made, maybe of another study: by their sidecars, so that they are described and not made.
MADE_BEFORE = [
    f"{table}.prov.json"
    for table in ("results/tables/estimate_validation.csv", "results/tables/estimate_validation_summary.csv")
    if exists(table) and exists(f"{table}.prov.json")
]


rule definition:
    output:
        definition="results/workflow/Snakefile",
    log:
        "results/logs/definition.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        workflow=os.path.relpath(ROOT / "Snakefile"),
        content=fingerprint("Snakefile", ROOT).sha256,
        code=code_hash(SCRIPTS / "copy_definition.py"),
    script:
        "../scripts/copy_definition.py"


rule crate:
    input:
        definition="results/workflow/Snakefile",
        files=[
            RUN_FILES,
            BREAKDOWNS,
            rules.collect.output,
            rules.compare.output,
            rules.collect_breakdown.output,
            rules.judge.output,
            rules.plot_training_time.output,
            rules.plot_speedup.output,
            rules.plot_accuracy.output,
            rules.plot_parity.output,
            rules.plot_breakdown.output,
            ABLATION,
            MADE_BEFORE,
        ],
    output:
        crate="results/ro-crate-metadata.json",
    log:
        "results/logs/crate.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        about=json.dumps(config["crate"], sort_keys=True),
        code=code_hash(SCRIPTS / "write_crate.py"),
    script:
        "../scripts/write_crate.py"
