"""What `greenroom import` does: reads another tool's file, writes the tests, and lists what could not be carried."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.table import Table
from rich.text import Text

from greenroom.cli.exits import ExitCode
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import shown_path
from greenroom.cli.writing import write_new_files
from greenroom.importers import Imported, ImportOptions, NotCarried, import_file, importers, to_yaml
from greenroom.model.errors import UserMistake
from greenroom.report.figures import plural
from greenroom.report.junit import plain_text
from greenroom.report.printable import printable_line
from greenroom.report.talk import QUIET

AUTO = "auto"
_ROWS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class ImportWishes:
    """Everything that the command line of `greenroom import` asks for."""

    format: str | None = None
    file: Path | None = None
    out: Path | None = None
    agent: Path | None = None
    tools: Sequence[str] = ()
    chats: Literal["next_reply", "script"] = "next_reply"
    strict: bool = False
    force: bool = False
    as_json: bool = False


def list_importers(*, as_json: bool) -> int:
    """List the formats that there are."""
    keep_log()
    output = Output.open(as_json=as_json)
    known = importers()
    if as_json:
        formats = [
            {"name": one.name, "title": one.title, "extensions": list(one.extensions), "describe": one.describe}
            for one in known.values()
        ]
        output.print_json(json.dumps(formats, ensure_ascii=False, indent=2))
        return ExitCode.ALL_PASSED
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET)
    for column in ("Format", "Of", "Files"):
        table.add_column(column, overflow="fold")
    for one in known.values():
        table.add_row(
            Text(printable_line(one.name), style="bold"),
            Text(printable_line(one.title)),
            Text(printable_line(f"{' '.join(one.extensions)}  {one.describe}".strip())),
        )
    output.say(table)
    output.say()
    output.say(Text("greenroom import auto FILE tells the format from what the file holds."))
    return ExitCode.ALL_PASSED


def import_file_of(wishes: ImportWishes) -> int:
    """Import a file; the exit code.

    Raises:
        UserMistake: there is no such format or file, it cannot be read, or what came of it cannot be written.
    """
    keep_log()
    output = Output.open(as_json=wishes.as_json)
    file = _file_of(wishes)
    options = ImportOptions(agent=wishes.agent, tools=read_tools(wishes.tools), chats=wishes.chats)
    if wishes.out is not None and wishes.out.exists() and not wishes.force:
        raise UserMistake(f"{wishes.out} is there already: nothing was written; add --force to overwrite")
    imported = import_file(None if wishes.format == AUTO else wishes.format, file, options)
    text = to_yaml(imported, folder=wishes.out.parent if wishes.out is not None else None)
    if wishes.out is not None:
        write_new_files({wishes.out: text}, force=wishes.force)
    if wishes.as_json:
        output.print_json(_as_json(imported, text, wishes.out))
    else:
        _tell(imported, text, wishes.out, output)
    return ExitCode.A_TEST_FAILED if wishes.strict and imported.not_carried else ExitCode.ALL_PASSED


def _file_of(wishes: ImportWishes) -> Path:
    if wishes.format is not None and wishes.file is not None:
        return wishes.file
    if wishes.format is not None and (wishes.format not in (AUTO, *importers()) and Path(wishes.format).exists()):
        raise UserMistake(f"Name the format before the file: greenroom import auto {wishes.format}")
    raise UserMistake(
        "Name a format and a file, for example: greenroom import auto tests.json (greenroom import --list shows the "
        "formats)"
    )


def read_tools(written: Sequence[str]) -> dict[str, str]:
    """The names of tools that `--tool ID=NAME` gives.

    Raises:
        UserMistake: one is not written so.
    """
    names: dict[str, str] = {}
    for entry in written:
        key, sign, name = entry.partition("=")
        if not (sign and key.strip() and name.strip()):
            raise UserMistake(f"--tool {entry}: write ID=NAME, for example --tool tool_01=book_table")
        names[key.strip()] = name.strip()
    return names


def _tell(imported: Imported, text: str, out: Path | None, output: Output) -> None:
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        if imported.not_carried and output.is_live:
            output.say_aside("")
    what = plural(len(imported.tests), "test")
    if imported.agent_file is None:
        what += f" and {plural(len(imported.agents), 'agent')}"
    if out is not None:
        output.say(Text(f"Wrote {what} to ").append(shown_path(out), style="bold"))
    if imported.not_carried:
        count = sum(entry.times for entry in imported.not_carried)
        output.say_aside(Text(f"{plural(count, 'thing')} could not be carried, or not with the same meaning:"))
        table = not_carried_table(imported.not_carried)
        output.say_aside(table if output.aside.is_terminal else Text(plain_text(table, output.aside.width)))
    else:
        output.say_aside(Text("Everything was carried.", style="green"))
    if out is not None:
        output.say()
        output.say_next([(f"greenroom run {shown_path(out)}", "plays them")])


def not_carried_table(entries: Sequence[NotCarried]) -> Table:
    """What could not be carried: where it stands, what it is, and why."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET)
    table.add_column("Place", overflow="fold", ratio=3)
    table.add_column("What", overflow="fold", ratio=2)
    table.add_column("Why", overflow="fold", ratio=5)
    for entry in entries[:_ROWS_SHOWN]:
        often = "" if entry.times == 1 else f" ({entry.times} times)"
        table.add_row(
            Text(printable_line(entry.place), style="bold"),
            Text(printable_line(entry.what) + often),
            Text(printable_line(entry.why)),
        )
    if len(entries) > _ROWS_SHOWN:
        table.add_row(Text("…"), Text(f"and {len(entries) - _ROWS_SHOWN} more"), Text("--json lists all"))
    return table


def _as_json(imported: Imported, text: str, out: Path | None) -> str:
    result = {
        "tests": [test.name for test in imported.tests],
        "agents": [agent.name for agent in imported.agents],
        "not_carried": [
            {"place": entry.place, "what": entry.what, "why": entry.why, "times": entry.times}
            for entry in imported.not_carried
        ],
        "written_to": str(out) if out is not None else None,
        "yaml": text if out is None else None,
    }
    return json.dumps(result, ensure_ascii=False, indent=2)
