import json
import re
from dataclasses import replace

import pytest
from PIL import Image

from breakdowns import Pass, breakdown_table
from records import CPU_SECONDS, FIGURES, STATISTICS, STUDY, Run, tables
from reporting.ablation import tabulate_ablation
from reporting.figure_ablation import plot_ablation

RECIPES = ("paper", "resident", "channels_last", "fused_optimizer", "host_settings", "cuda_graph", "tuned")


def study(devices, **more):
    return [
        Run(recipe=recipe, model=model, device=device, gpus=gpus, repeat=repeat, **more)
        for recipe in RECIPES
        for model in STUDY
        for device, gpus in devices
        for repeat in (1, 2, 3)
    ]


def slower(run):
    """Each recipe a fifth faster than the one before, a GPU ten times as fast, repeats a few percent apart."""
    factor = 0.8 ** RECIPES.index(run.recipe) * (0.1 if run.gpus else 1) * (1 + 0.03 * run.repeat)
    return replace(run, seconds=CPU_SECONDS[run.model] * factor)


CASES = {
    "nothing": [Run(status="missing")],
    "both": [slower(run) for run in study((("cpu", 0), ("cuda", 1)))],
    "estimated": [slower(replace(run, mode="estimated")) for run in study((("cpu", 0),))],
    "failed": [*(slower(run) for run in study((("cpu", 0),))), Run(recipe="bf16", status="refused")],
}


@pytest.fixture(scope="module", params=CASES)
def drawn(request, tmp_path_factory):
    """A case, its PNG and all text of its SVG."""
    folder = tmp_path_factory.mktemp(request.param)
    made = tables(folder, CASES[request.param])
    passes = [Pass(recipe=recipe, model=model) for recipe in RECIPES for model in STUDY]
    statistics, ablation, png = json.dumps(STATISTICS), str(folder / "ablation.csv"), folder / "ablation.png"
    tabulate_ablation(
        runs=str(made / "runs.csv"),
        breakdown=str(breakdown_table(folder / "passes", passes)),
        statistics=statistics,
        output=ablation,
    )
    svg = png.with_suffix(".svg")
    plot_ablation(ablation=ablation, statistics=statistics, figures=json.dumps(FIGURES), png=str(png), svg=str(svg))
    found = re.findall(r"<text[^>]*>(.*?)</text>", svg.read_text(encoding="utf-8"), re.DOTALL)
    return request.param, png, " ".join(re.sub(r"<[^>]*>", "", text) for text in found)


def test_every_case_has_the_width_of_a_column(drawn):
    _, png, _ = drawn
    assert Image.open(png).width == pytest.approx(FIGURES["width_inches"] * FIGURES["dpi"], abs=1)


def test_recipes_models_devices_and_both_lines_are_named(drawn):
    case, _, text = drawn
    if case == "nothing":
        assert "No time of a step to show" in text
        return
    assert all(name in text for name in (*RECIPES, *STUDY, "floor", "n = 3 processes a mark"))
    assert ("summed kernel time" in text) == (case == "both")
    assert ("cuda: NVIDIA H200" in text) == (case == "both")
    assert ("budget ended the runs" in text) == (case == "estimated")
    assert ("bf16: refused" in text) == (case == "failed")
