"""The report as JSON, for other programs, and back."""

from __future__ import annotations

import json
import math
from pathlib import Path

from pydantic import ValidationError

from greenroom.model.base import Json
from greenroom.model.errors import UserMistake
from greenroom.model.text import speakable
from greenroom.report.files import write_file
from greenroom.report.results import REPORT_SCHEMA_VERSION, Report, by_test


def report_json(report: Report) -> str:
    """The report as JSON text; lone surrogates, which JSON readers refuse, are replaced by U+FFFD."""
    return speakable(json.dumps(_finite(report.model_dump(mode="json")), ensure_ascii=False, indent=2)) + "\n"


def write_json(report: Report, path: Path) -> None:
    """Write the report to `path`.

    Raises:
        UserMistake: it could not be written.
    """
    write_file(path, report_json(report))


def read_report(path: Path) -> Report:
    """Read a report that `write_json` wrote, by this or an earlier version of Greenroom.

    Raises:
        UserMistake: there is no such file, it is not a report, or a newer Greenroom wrote it.
    """
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise UserMistake(f"{path}: cannot be read: {(problem.strerror or 'the system refused').lower()}") from None
    try:
        data: object = json.loads(content)
    except (ValueError, RecursionError):
        raise UserMistake(f"{path}: is not JSON; give a file that `greenroom run --report-json` wrote") from None
    version = data.get("schema_version") if isinstance(data, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - just parsed
    if not isinstance(version, int):
        raise UserMistake(f"{path}: is not a report; give a file that `greenroom run --report-json` wrote")
    if version > REPORT_SCHEMA_VERSION:
        raise UserMistake(
            f"{path}: was written by a newer Greenroom (schema version {version}, this one reads up to "
            f"{REPORT_SCHEMA_VERSION}); upgrade Greenroom to read it"
        )
    try:
        report = Report.model_validate(data)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"]) or "the whole"
        raise UserMistake(f"{path}: is not a whole report: {place}: {first['msg'].lower()}") from None
    if "summaries" not in report.model_fields_set:
        report.summaries = [summary for summary, _ in by_test(report.runs)]
    return report


def _finite(value: Json) -> Json:
    """`value` with what JSON has no word for (infinity, not a number) as `null`."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {name: _finite(item) for name, item in value.items()}
        case list():
            return [_finite(item) for item in value]
        case _:
            return value
