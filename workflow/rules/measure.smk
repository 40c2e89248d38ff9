# One process for each (recipe, model, device, repeat); the key in the path stands for settings and measuring code.


rule train_cpu:
    input:
        # The checksum decides whether the data changed; the data itself is too large to be compared each time.
        data=ancient(dataset_of("npz")),
        checksum=dataset_of("sha256"),
    output:
        record="results/runs/{recipe}/{model}/{device}/{key}/{repeat}.json",
        epochs="results/runs/{recipe}/{model}/{device}/{key}/{repeat}.csv",
        steps="results/runs/{recipe}/{model}/{device}/{key}/{repeat}.steps.csv.gz",
    log:
        "results/logs/runs/{recipe}/{model}/{device}/{key}/{repeat}.log",
    wildcard_constraints:
        device=device_names(gpus=False),
    priority: priority_of
    conda:
        "../../envs/measuring.yaml"
    threads: threads_of
    resources:
        timing_slot=100,
    params:
        settings=settings_json,
        code=code_of,
    script:
        "../scripts/train.py"


use rule train_cpu as train_gpu with:
    wildcard_constraints:
        device=device_names(gpus=True),
    resources:
        gpu=1,
        timing_slot=100,
