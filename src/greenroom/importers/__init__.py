"""Tests from other tools' published formats, each with a list of what could not be carried."""

from greenroom.importers.imported import Imported, ImportOptions, NotCarried, to_yaml
from greenroom.importers.registry import Importer, detect, import_file, importers

__all__ = [
    "ImportOptions",
    "Imported",
    "Importer",
    "NotCarried",
    "detect",
    "import_file",
    "importers",
    "to_yaml",
]
