"""What an importer is given and what it gives: agents, tests, and a list of what could not be carried."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from greenroom.files.dump import SCHEMA_COMMENT, dump_agent, dump_test
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.limits import Limits
from greenroom.model.text import squeeze

MAX_REMARKS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How to import.

    `agent` is the file of the agent that the tests are for; without it the source's own agent is taken, or one is
    written whose prompt is left to fill in. `agents` are those of that file: `import_file` reads them. `tools` names
    the tools that the source knows by an id alone. `chats` says what becomes of a recorded chat: a test of its last
    reply, or a script of all that its user says. Tests are made to fit `limits`.
    """

    agent: Path | None = None
    agents: tuple[Agent, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict[str, str])
    chats: Literal["next_reply", "script"] = "next_reply"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class NotCarried:
    """Something of the source that the tests do not hold, or hold with another meaning.

    `place` leads to it in the source (`tests[2].assert[0]`), to the first of them where there are several alike:
    `times` says how many. `what` names it; values are not repeated, since they may be secret.
    """

    place: str
    what: str
    why: str
    times: int = 1

    def __str__(self) -> str:
        often = "" if self.times == 1 else f" ({self.times} times)"
        return f"{self.place}: {self.what}{often}: {self.why}"


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read from another tool's file. With `agent_file`, the tests are for the agents of that file."""

    agents: list[Agent]
    tests: list[Test]
    not_carried: list[NotCarried] = field(default_factory=list[NotCarried])
    agent_file: Path | None = None


def to_yaml(imported: Imported, *, folder: Path | None = None, schema: str | None = None, remarks: bool = True) -> str:
    """A test file that holds what was imported.

    `folder` is where the file will be put (the current folder by default), for the path of the agent's file. `schema`
    is the path or URL of the JSON Schema that editors are pointed to. With `remarks`, what could not be carried stands
    as comments at the top, the first 200 of it.
    """
    parts = [f"{SCHEMA_COMMENT}{schema}\n"] if schema else []
    if remarks:
        parts.append(_remarks(imported.not_carried))
    parts.append(_agents(imported, folder or Path()))
    parts.append("tests:\n" + "".join(_item(dump_test(test)) for test in imported.tests))
    return "".join(parts)


def _agents(imported: Imported, folder: Path) -> str:
    if imported.agent_file is not None:
        return f"agent: {_quoted(_relative(imported.agent_file, folder))}\n"
    if len(imported.agents) == 1:
        return "agent:\n" + textwrap.indent(dump_agent(imported.agents[0]), "  ")
    return "agents:\n" + "".join(_item(dump_agent(agent)) for agent in imported.agents)


def _relative(file: Path, folder: Path) -> str:
    try:
        path = Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive
        return file.resolve().as_posix()
    return path if path.startswith("../") else f"./{path}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _item(dumped: str) -> str:
    """A mapping as an item of a list. Only whole lines are moved, so that block texts stay what they are."""
    return "  - " + textwrap.indent(dumped, "    ").removeprefix("    ")


def _remarks(not_carried: Iterable[NotCarried]) -> str:
    lines = list(_remark_lines(list(not_carried)))
    return "\n".join(lines) + "\n" if lines else ""


def _remark_lines(not_carried: list[NotCarried]) -> Iterator[str]:
    if not not_carried:
        return
    yield "# Not carried over, or carried with another meaning:"
    for entry in not_carried[:MAX_REMARKS]:
        yield f"# - {_printable(str(entry))}"
    if len(not_carried) > MAX_REMARKS:
        yield f"# - and {len(not_carried) - MAX_REMARKS:,} more"


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in squeeze(text))
