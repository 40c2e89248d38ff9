"""Draw the figure breakdown, as PNG and SVG."""

from lineage.job import tracked
from reporting.figure_breakdown import plot_breakdown

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        plot_breakdown(
            breakdown=snakemake.input.breakdown,
            figures=snakemake.params.figures,
            png=snakemake.output.png,
            svg=snakemake.output.svg,
        )
