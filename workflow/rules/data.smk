# Gets each dataset once, verified against published checksums and decoded; on a cluster where Snakemake itself runs,
# since compute nodes often have no way to the internet.


rule dataset:
    output:
        data="results/data/{dataset}.npz",
        checksum="results/data/{dataset}.sha256",
    log:
        "results/logs/data/{dataset}.log",
    localrule: True
    conda:
        "../../envs/measuring.yaml"
    resources:
        timing_slot=1,
    params:
        settings=dataset_definition,
    script:
        "../scripts/fetch_dataset.py"


rule data:
    input:
        sorted({f"results/data/{run.dataset}.sha256" for run in PLANNED}),
