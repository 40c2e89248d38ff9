# Where the time of a step goes: a process of its own for each (recipe, model, device, repeat), never inside a timed run.


rule breakdown_cpu:
    input:
        data=ancient(breakdown_dataset_of("npz")),
        checksum=breakdown_dataset_of("sha256"),
    output:
        record="results/breakdown/{recipe}/{model}/{device}/{key}/{repeat}.json",
    log:
        "results/logs/breakdown/{recipe}/{model}/{device}/{key}/{repeat}.log",
    wildcard_constraints:
        device=device_names(gpus=False),
    priority: breakdown_priority_of
    conda:
        "../../envs/measuring.yaml"
    threads: threads_of
    resources:
        timing_slot=100,
    params:
        settings=breakdown_settings_json,
        code=breakdown_code_of,
    script:
        "../scripts/break_down.py"


use rule breakdown_cpu as breakdown_gpu with:
    wildcard_constraints:
        device=device_names(gpus=True),
    resources:
        gpu=1,
        timing_slot=100,
