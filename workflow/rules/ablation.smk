# What each recipe's knobs bring: config/ablation.yaml, or any other study with several recipes.


rule tabulate_ablation:
    input:
        runs="results/tables/runs.csv",
        breakdown="results/tables/breakdown.csv",
    output:
        ablation=report(
            "results/tables/ablation.csv",
            category="Tables",
            labels={"table": "ablation"},
            caption="../report/ablation.rst",
        ),
    log:
        "results/logs/tables/ablation.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        statistics=STATISTICS_JSON,
        code=code_hash(SCRIPTS / "tabulate_ablation.py"),
    script:
        "../scripts/tabulate_ablation.py"


rule plot_ablation:
    input:
        ablation="results/tables/ablation.csv",
    output:
        png=report(
            "results/figures/ablation.png",
            category="Figures",
            labels={"figure": "ablation"},
            caption="../report/ablation_figure.rst",
        ),
        svg="results/figures/ablation.svg",
    log:
        "results/logs/figures/ablation.log",
    localrule: True
    conda:
        "../../envs/reporting.yaml"
    resources:
        timing_slot=1,
    params:
        statistics=STATISTICS_JSON,
        figures=FIGURES_JSON,
        code=code_hash(SCRIPTS / "plot_ablation.py"),
    script:
        "../scripts/plot_ablation.py"


# One that is there already stays in step with the tables that it was made from.
ABLATION = (
    ["results/tables/ablation.csv", "results/figures/ablation.png", "results/figures/ablation.svg"]
    if len(config["study"]["recipes"]) > 1 or exists("results/tables/ablation.csv")
    else []
)
