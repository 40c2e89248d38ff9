# Checks the configuration files before they are used: of two equal keys YAML drops the first without a word.
import os
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(workflow.current_basedir).parents[1]
SCRIPTS = ROOT / "workflow" / "scripts"
sys.path.append(str(SCRIPTS))

from lineage.failures import plain_sentence
from lineage.job import UserError
from planning.config_files import check_config_file
from planning.writable import ENGINE, require_writable


def end_with(sentence):
    """End before any job starts with this sentence alone: an exception would also show a place in these rules."""
    logger.error(sentence)
    sys.exit(1)


@contextmanager
def in_plain_words(output=None):
    """End with one sentence where the block meets what the user can put right; it was to write `output`."""
    try:
        yield
    except UserError as error:
        end_with(str(error))
    except OSError as error:
        sentence = plain_sentence(error, [output] if output else [])
        if sentence is None:
            raise
        end_with(sentence)


def default_config():
    """The configuration of the working directory; where it has none (--directory elsewhere), of this repository."""
    own = Path("config") / "config.yaml"
    return str(own) if own.exists() else os.path.relpath(ROOT / own)


def own_config_files():
    """The default configuration and the overlays; none where another workflow hands its configuration over."""
    paths = [] if workflow.modifier.skip_configfile else [Path(default_config()), *workflow.configfiles]
    return [Path(os.path.relpath(path)) for path in paths if Path(path).exists()]


if workflow.is_main_process:
    with in_plain_words():
        require_writable(ENGINE)
        for config_file in own_config_files():
            check_config_file(config_file)
