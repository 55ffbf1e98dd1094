"""Helpers of the tests on importers: samples imported, and looked into by paths."""

from __future__ import annotations

import re
from typing import Any

from tests.support.import_samples import SAMPLES

from greenroom.importers import Imported, ImportOptions, importers

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def imported(sample: str, options: ImportOptions | None = None) -> Imported:
    """A sample, imported."""
    return importers()[sample.split()[0]].read(SAMPLES[sample][1].encode(), options or ImportOptions())


def read_as(name: str, text: str, options: ImportOptions | None = None) -> Imported:
    """A text, imported as a format."""
    return importers()[name].read(text.encode(), options or ImportOptions())


def value_at(result: Imported, path: str) -> Any:
    """What is found at a path such as `tests[0].caller.persona`, as plain data of what was set."""
    value: Any = {
        "tests": [test.model_dump(exclude_unset=True) | {"kind": test.caller.kind} for test in result.tests],
        "agents": [agent.model_dump(exclude_unset=True) for agent in result.agents],
    }
    for name, index in _STEP.findall(path):
        value = value[int(index)] if index else value[name]
    return value


def notes(result: Imported) -> dict[str, str]:
    """Why things are not carried, by place and what."""
    return {f"{entry.place} {entry.what}": entry.why for entry in result.not_carried}
