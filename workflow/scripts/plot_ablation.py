"""Draw the figure ablation, as PNG and SVG."""

from lineage.job import tracked
from reporting.figure_ablation import plot_ablation

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        plot_ablation(
            ablation=snakemake.input.ablation,
            statistics=snakemake.params.statistics,
            figures=snakemake.params.figures,
            png=snakemake.output.png,
            svg=snakemake.output.svg,
        )
