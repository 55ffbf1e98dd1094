"""Test files: YAML that holds agents and their tests, loaded with the place of every mistake, and written again."""

from greenroom.files.dump import dump_agent, dump_file, dump_test
from greenroom.files.finding import find_files
from greenroom.files.load import load_files
from greenroom.files.mistakes import FileMistakes, Mistake
from greenroom.files.overrides import override_agent, with_model
from greenroom.files.schema import file_schema
from greenroom.files.suite import Case, Suite

__all__ = [
    "Case",
    "FileMistakes",
    "Mistake",
    "Suite",
    "dump_agent",
    "dump_file",
    "dump_test",
    "file_schema",
    "find_files",
    "load_files",
    "override_agent",
    "with_model",
]
