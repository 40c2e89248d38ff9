import pytest
import yaml

from lineage.job import UserError
from records import PUBLISHED
from reporting.published import read_published


def test_the_studys_table_is_read_by_parameters():
    study = read_published(PUBLISHED)
    assert list(study.models) == ["simple_cnn", "resnet18", "resnet50"]
    assert study.models["resnet50"].cpu_s == 5443.67
    assert study.images == 500_000


def test_every_group_of_numbers_names_a_source_that_is_listed():
    content = yaml.safe_load(PUBLISHED.read_text())
    groups = [content["study"], content["reference_accuracies"]]
    for part in ("models", "claims", "ceilings", "networks"):
        groups += content[part].values()
    named = {name for group in groups for name in group["source"].split(" and ")}
    assert named <= set(content["sources"])


def test_a_file_without_a_part_is_refused(tmp_path):
    content = yaml.safe_load(PUBLISHED.read_text())
    del content["ceilings"]
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(UserError, match="'ceilings' is missing"):
        read_published(tmp_path / "p.yaml")
