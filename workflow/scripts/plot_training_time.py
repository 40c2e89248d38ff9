"""Draw the figure training_time, as PNG and SVG."""

from lineage.job import tracked
from reporting.figure_training_time import plot_training_time

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        plot_training_time(
            runs=snakemake.input.runs,
            figures=snakemake.params.figures,
            png=snakemake.output.png,
            svg=snakemake.output.svg,
        )
