"""Draw the figure accuracy, as PNG and SVG."""

from lineage.job import tracked
from reporting.figure_accuracy import plot_accuracy

if __name__ == "__main__":
    with tracked(snakemake, __file__):
        plot_accuracy(
            runs=snakemake.input.runs,
            epochs=snakemake.input.epochs,
            figures=snakemake.params.figures,
            png=snakemake.output.png,
            svg=snakemake.output.svg,
        )
