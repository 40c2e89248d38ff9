# Estimated training times against measured ones: `make validate-estimates`, or any study with both kinds of device.


rule validate_estimates:
    input:
        records=RECORDS,
        epochs=[record.removesuffix("json") + "csv" for record in RECORDS],
        steps=[record.removesuffix("json") + "steps.csv.gz" for record in RECORDS],
        schema=SCHEMA,
    output:
        table="results/tables/estimate_validation.csv",
        summary="results/tables/estimate_validation_summary.csv",
    log:
        "results/logs/tables/validate_estimates.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        devices=json.dumps({name: config["devices"][name] for name in DEVICES}, sort_keys=True),
        code=code_hash(SCRIPTS / "validate_estimates.py"),
    script:
        "../scripts/validate_estimates.py"
