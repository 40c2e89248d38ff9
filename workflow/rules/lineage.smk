# Describes what was made, by which job and from what, for others: an RO-Crate, from the sidecars alone.


rule crate:
    input:
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
    output:
        crate="results/ro-crate-metadata.json",
        definition="results/workflow/Snakefile",
    log:
        "results/logs/crate.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        about=json.dumps(config["crate"], sort_keys=True),
        workflow=os.path.relpath(ROOT / "Snakefile"),
        code=code_hash(SCRIPTS / "write_crate.py"),
    script:
        "../scripts/write_crate.py"
