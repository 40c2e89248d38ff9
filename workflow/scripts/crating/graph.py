"""The entities of a crate, added in any order and written in one."""

import json
from typing import Any
from urllib.parse import quote

from rocrate.model import ContextEntity, File
from rocrate.model.computerlanguage import get_lang
from rocrate.rocrate import ROCrate

Reference = dict[str, str]

_CRATE_VERSION = "1.1"  # what the Workflow Run profiles build on
_TERMS = "https://w3id.org/ro/terms/workflow-run/context"  # sha256, ParameterConnection ...
_FIRST = ("ro-crate-metadata.json", "./")


class Graph:
    """A crate under construction; other entities refer to one by its identifier."""

    def __init__(self) -> None:
        """Start with the descriptor and the root alone."""
        self._crate = ROCrate(version=_CRATE_VERSION)
        self._crate.metadata.extra_contexts.append(_TERMS)

    def add(self, identifier: str, types: str | list[str], **properties: Any) -> Reference:
        """Add something that is no file of the crate, once; a property that is None or an empty list is left out."""
        reference = {"@id": identifier}
        if identifier not in self._crate:  # its `get` looks through the whole crate for what is not there
            self._crate.add(ContextEntity(self._crate, identifier, {"@type": types, **_present(properties)}))
        return reference

    def add_file(self, path: str, **properties: Any) -> Reference:
        """Add a file by its path relative to the crate."""
        self._crate.add(File(self._crate, dest_path=path, properties=_present(properties)))
        return self.file(path)

    def file(self, path: str) -> Reference:
        """Return how to refer to a file by its path relative to the crate."""
        return {"@id": quote(path)}

    def add_language(self) -> Reference:
        """Add the language in which the workflow is written."""
        language = self._crate.add(get_lang(self._crate, "snakemake"))
        return {"@id": language.id}

    def extend(self, reference: Reference, types: str | list[str], **properties: Any) -> None:
        """Give further properties, and its final types, to what is in the crate."""
        entity = self._crate.get(reference["@id"])
        entity.properties()["@type"] = types
        for name, value in _present(properties).items():
            entity[name] = value

    def text(self) -> str:
        """Return the crate as JSON-LD; the same entities give the same text."""
        content = self._crate.metadata.generate()
        content["@graph"] = sorted(map(_ordered, content["@graph"]), key=_rank)
        return json.dumps(content, indent=1, sort_keys=True) + "\n"


def _rank(entity: dict[str, Any]) -> tuple[bool, bool, str]:
    descriptor, root = (entity["@id"] != name for name in _FIRST)
    return descriptor, descriptor and root, entity["@id"]


def _ordered(entity: dict[str, Any]) -> dict[str, Any]:
    return {name: _unique(value) if name != "@type" else value for name, value in entity.items()}


def _unique(value: Any) -> Any:
    """Sort references by what they refer to, each once; a single one stands without a list."""
    if not isinstance(value, list):
        return value
    references = [{"@id": identifier} for identifier in sorted({reference["@id"] for reference in value})]
    return references if len(references) > 1 else references[0]


def _present(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value is not None and value != []}
