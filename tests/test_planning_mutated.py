"""Configurations changed at random either plan or are refused with one sentence that names the key."""

import json
import re
from functools import cache

import yaml
from hypothesis import HealthCheck, given, settings

from lineage.job import UserError
from measuring.cores import wanted_threads
from measuring.model_check import model_error
from mutations import mutated
from planning.breakdowns import plan_breakdowns
from planning.check import check_config
from planning.config_files import check_config_file
from planning.order import start_priority
from planning.probe import check_models, choose_devices
from planning.study import plan_runs


@cache
def error_of(name, model_json):
    return model_error(name, json.loads(model_json))


def planned(config):
    """Do what the workflow does with a configuration before its first job, with the models built in this process."""
    check_config(config)
    models = {name: json.dumps(config["models"][name], sort_keys=True) for name in config["study"]["models"]}
    errors = {name: error for name, model in models.items() if (error := error_of(name, model))}
    found = {"accelerators": [], "model_errors": errors}
    check_models(found)
    devices, _ = choose_devices(config, found)
    for device in devices:
        assert wanted_threads(config["devices"][device]["threads"]) >= 1
    runs = plan_runs(config, devices)
    start_priority(seed=config["study"]["seed"], repeat=1, repeats=config["study"]["repeats"], run=runs[0].stem)
    return [*runs, *plan_breakdowns(config, runs)]


@settings(
    max_examples=200,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(mutated())
def test_each_of_200_changed_configurations_plans_or_is_refused_with_its_key(tmp_path, change):
    path = tmp_path / "config.yaml"
    path.write_text(yaml.dump(change.config, allow_unicode=True), encoding="utf-8")
    assert check_config_file(path)
    config = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.FullLoader)  # as the workflow engine reads it
    try:
        runs = planned(config)
    except UserError as error:
        sentence = str(error)
        assert sentence.startswith("config") and sentence.endswith((".", "?"))
        assert "\n" not in sentence and len(sentence) < 700
        words = set(re.findall(r"[\w-]+", sentence))
        assert words & change.names, (sentence, change.names)
    else:
        assert len({run.stem for run in runs}) == len(runs) > 0
