"""Draw the figure parity, as PNG and SVG."""

from lineage.job import tracked
from reporting.figure_parity import plot_parity

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        plot_parity(
            parity=snakemake.input.parity,
            runs=snakemake.input.runs,
            statistics=snakemake.params.statistics,
            figures=snakemake.params.figures,
            png=snakemake.output.png,
            svg=snakemake.output.svg,
        )
