# Tables and figures, from records alone: seconds to make again, on a cluster where Snakemake itself runs.
PLANNED_JSON = json.dumps([asdict(run) for run in PLANNED], sort_keys=True)
QUIET_JSON = json.dumps(config["quiet"], sort_keys=True)
COST_JSON = json.dumps(config["cost"], sort_keys=True)
STATISTICS_JSON = json.dumps(config["statistics"], sort_keys=True)
BREAKDOWNS_JSON = json.dumps([asdict(run) for run in PLANNED_BREAKDOWNS], sort_keys=True)
FIGURES_JSON = json.dumps(config["figures"], sort_keys=True)


rule collect:
    input:
        records=RECORDS,
        epochs=[record.removesuffix("json") + "csv" for record in RECORDS],
        schema=SCHEMA,
    output:
        runs=report(
            "results/tables/runs.csv", category="Tables", labels={"table": "runs"}, caption="../report/runs.rst"
        ),
        epochs=report(
            "results/tables/epochs.csv", category="Tables", labels={"table": "epochs"}, caption="../report/epochs.rst"
        ),
    log:
        "results/logs/tables/collect.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        planned=PLANNED_JSON,
        quiet=QUIET_JSON,
        cost=COST_JSON,
        code=code_hash(SCRIPTS / "collect.py"),
    script:
        "../scripts/collect.py"


rule compare:
    input:
        runs="results/tables/runs.csv",
    output:
        speedup=report(
            "results/tables/speedup.csv",
            category="Tables",
            labels={"table": "speed-up"},
            caption="../report/speedup.rst",
        ),
        parity=report(
            "results/tables/parity.csv", category="Tables", labels={"table": "parity"}, caption="../report/parity.rst"
        ),
        threads=report(
            "results/tables/threads.csv",
            category="Tables",
            labels={"table": "threads"},
            caption="../report/threads.rst",
        ),
    log:
        "results/logs/tables/compare.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        statistics=STATISTICS_JSON,
        code=code_hash(SCRIPTS / "compare.py"),
    script:
        "../scripts/compare.py"


rule collect_breakdown:
    input:
        records=BREAKDOWNS,
        schema=BREAKDOWN_SCHEMA,
        run_schema=SCHEMA,
    output:
        breakdown=report(
            "results/tables/breakdown.csv",
            category="Tables",
            labels={"table": "breakdown"},
            caption="../report/breakdown.rst",
        ),
    log:
        "results/logs/tables/collect_breakdown.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        planned=BREAKDOWNS_JSON,
        statistics=STATISTICS_JSON,
        quiet=QUIET_JSON,
        code=code_hash(SCRIPTS / "collect_breakdown.py"),
    script:
        "../scripts/collect_breakdown.py"


rule judge:
    input:
        breakdown="results/tables/breakdown.csv",
        runs="results/tables/runs.csv",
        speedup="results/tables/speedup.csv",
        parity="results/tables/parity.csv",
        published=PUBLISHED,
    output:
        replication=report(
            "results/tables/replication.csv",
            category="Tables",
            labels={"table": "replication"},
            caption="../report/replication.rst",
        ),
    log:
        "results/logs/tables/judge.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        statistics=STATISTICS_JSON,
        code=code_hash(SCRIPTS / "judge.py"),
    script:
        "../scripts/judge.py"


rule plot_training_time:
    input:
        runs="results/tables/runs.csv",
    output:
        png=report(
            "results/figures/training_time.png",
            category="Figures",
            labels={"figure": "training time"},
            caption="../report/training_time_figure.rst",
        ),
        svg="results/figures/training_time.svg",
    log:
        "results/logs/figures/training_time.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        figures=FIGURES_JSON,
        code=code_hash(SCRIPTS / "plot_training_time.py"),
    script:
        "../scripts/plot_training_time.py"


rule plot_speedup:
    input:
        speedup="results/tables/speedup.csv",
        runs="results/tables/runs.csv",
        published=PUBLISHED,
    output:
        png=report(
            "results/figures/speedup.png",
            category="Figures",
            labels={"figure": "speed-up"},
            caption="../report/speedup_figure.rst",
        ),
        svg="results/figures/speedup.svg",
    log:
        "results/logs/figures/speedup.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        statistics=STATISTICS_JSON,
        figures=FIGURES_JSON,
        code=code_hash(SCRIPTS / "plot_speedup.py"),
    script:
        "../scripts/plot_speedup.py"


rule plot_accuracy:
    input:
        epochs="results/tables/epochs.csv",
        runs="results/tables/runs.csv",
    output:
        png=report(
            "results/figures/accuracy.png",
            category="Figures",
            labels={"figure": "accuracy"},
            caption="../report/accuracy_figure.rst",
        ),
        svg="results/figures/accuracy.svg",
    log:
        "results/logs/figures/accuracy.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        figures=FIGURES_JSON,
        code=code_hash(SCRIPTS / "plot_accuracy.py"),
    script:
        "../scripts/plot_accuracy.py"


rule plot_parity:
    input:
        parity="results/tables/parity.csv",
        runs="results/tables/runs.csv",
    output:
        png=report(
            "results/figures/parity.png",
            category="Figures",
            labels={"figure": "parity"},
            caption="../report/parity_figure.rst",
        ),
        svg="results/figures/parity.svg",
    log:
        "results/logs/figures/parity.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        statistics=STATISTICS_JSON,
        figures=FIGURES_JSON,
        code=code_hash(SCRIPTS / "plot_parity.py"),
    script:
        "../scripts/plot_parity.py"


rule plot_breakdown:
    input:
        breakdown="results/tables/breakdown.csv",
    output:
        png=report(
            "results/figures/breakdown.png",
            category="Figures",
            labels={"figure": "breakdown"},
            caption="../report/breakdown_figure.rst",
        ),
        svg="results/figures/breakdown.svg",
    log:
        "results/logs/figures/breakdown.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        figures=FIGURES_JSON,
        code=code_hash(SCRIPTS / "plot_breakdown.py"),
    script:
        "../scripts/plot_breakdown.py"
