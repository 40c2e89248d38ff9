# What each recipe's knobs bring: `--configfile config/ablation.yaml -- ablation`, or any study with several recipes.


rule tabulate_ablation:
    input:
        runs="results/tables/runs.csv",
        breakdown="results/tables/breakdown.csv",
    output:
        ablation="results/tables/ablation.csv",
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
        png="results/figures/ablation.png",
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


rule ablation:
    input:
        RUN_FILES,
        BREAKDOWNS,
        "results/tables/ablation.csv",
        "results/figures/ablation.png",
        "results/figures/ablation.svg",
