# Gets each dataset once, verified against published checksums and decoded; on a cluster where Snakemake itself runs,
# since compute nodes often have no way to the internet. {content} stands for what a dataset must hold.


rule dataset:
    output:
        # Of data that are fetched again the former stay until the new ones take their place, and where that fails.
        data=update("results/data/{dataset}/{content}.npz"),
        checksum=update("results/data/{dataset}/{content}.sha256"),
    log:
        "results/logs/data/{dataset}/{content}.log",
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
        sorted({f"results/{run.data}.{ending}" for run in PLANNED for ending in ("npz", "sha256")}),
