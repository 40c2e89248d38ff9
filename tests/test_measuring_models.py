from measuring.models import model_file


def test_a_builder_of_ours_has_a_file_of_its_own():
    assert model_file("simple_cnn").name == "simple_cnn.py"
    assert model_file("resnet18").name == "torchvision_models.py"
