"""What `greenroom report` does: reads a stored report, and hands it over in the forms that were asked for."""

from __future__ import annotations

from pathlib import Path

from greenroom.cli.exits import ExitCode
from greenroom.cli.handing import Wanted, say_annotations, say_result, say_written, write_files
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.report.json_report import read_report


def show_report(file: Path, wanted: Wanted) -> int:
    """Hand a stored report over: on the screen, unless other forms are asked for.

    Raises:
        UserMistake: it cannot be read, or a file could not be written.
    """
    keep_log()
    output = Output.open(as_json=wanted.as_json)
    wanted.make_writable()
    report = read_report(file)
    write_files(report, wanted)
    if wanted.as_json or not (wanted.files or wanted.annotations):
        say_result(report, wanted, output)
    say_written(wanted, output)
    say_annotations(report, wanted, output)
    return ExitCode.ALL_PASSED
