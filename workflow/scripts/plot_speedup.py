"""Draw the figure speedup, as PNG and SVG."""

from lineage.job import tracked
from reporting.figure_speedup import plot_speedup

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        plot_speedup(
            speedup=snakemake.input.speedup,
            runs=snakemake.input.runs,
            published=snakemake.input.published,
            statistics=snakemake.params.statistics,
            figures=snakemake.params.figures,
            png=snakemake.output.png,
            svg=snakemake.output.svg,
        )
