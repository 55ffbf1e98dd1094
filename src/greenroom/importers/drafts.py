"""The agents of an import while they are put together: their prompt, and the tools that tests name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from greenroom.importers.imported import ImportOptions
from greenroom.importers.source import Fields, Notes, Path, kind_of, said_of
from greenroom.model.agent import RESERVED_TOOLS, Agent, Tool
from greenroom.model.base import Json
from greenroom.model.errors import Problem
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.rules import check_agent
from greenroom.model.text import shorten, squeeze

PASTE = "Paste your agent's own prompt here, in place of this sentence."
GIVEN = "the agent of the given file stands in its place"
END_CALL = frozenset({"end_call", "endCall", "hang_up", "hangup"})

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_ANY_OBJECT: dict[str, Json] = {"type": "object", "properties": {}}


@dataclass(slots=True)
class _ToolDraft:
    name: str
    description: str = ""
    parameters: dict[str, Json] | None = None
    seen: dict[str, Json] = field(default_factory=dict[str, Json])

    def made(self) -> Tool:
        data: dict[str, object] = {"name": self.name}
        if self.description:
            data["description"] = self.description
        if self.parameters or self.seen:
            data["parameters"] = self.parameters or {"type": "object", "properties": dict(self.seen)}
        return Tool.model_validate(data)


class AgentDraft:
    """An agent that is being put together.

    With an agent file, it stands for an agent of that file: nothing is added to it, and tools keep their names.
    """

    def __init__(self, name: str, path: Path, notes: Notes, options: ImportOptions) -> None:
        self.name = name
        self.path = path
        self.prompt: str | None = None
        self.greeting: str | None = None
        self.speaks_first: bool | None = None
        self.llm: Llm | None = None
        self.can_end_call = False
        self._tools: dict[str, _ToolDraft] = {}
        self.notes = notes
        self._options = options

    @property
    def is_given(self) -> bool:
        """Whether an agent file was given, so that the source's agent is not taken."""
        return bool(self._options.agents)

    def tool(self, named: str, path: Path, arguments: Mapping[str, Json] | None = None) -> str:
        """The name of a tool that a test names, which the agent then has. `arguments` are some that it was seen with,
        from which its parameters are told where the source does not describe them."""
        name = self._options.tools.get(named, named)
        if self.is_given:
            return name
        name = self._valid(name, path)
        draft = self._tools.setdefault(name, _ToolDraft(name))
        for key, value in (arguments or {}).items():
            draft.seen.setdefault(key, _schema_of(value))
        return name

    def describe_tool(self, fields: Fields) -> None:
        """Take a tool of the source as it is described there: `name`, `description`, `parameters`."""
        named = fields.text("name")
        if not named:
            fields.note("this tool", "it has no name")
            return
        if named in END_CALL:
            self.can_end_call = True
            named = "end_call"
        description, parameters = fields.text("description") or "", fields.take("parameters")
        if self.is_given:
            fields.note("this tool", GIVEN)
        if self.is_given or named == "end_call":
            return
        name = self._valid(self._options.tools.get(named, named), fields.at("name"))
        draft = self._tools.setdefault(name, _ToolDraft(name))
        draft.description = description
        if isinstance(parameters, dict):
            draft.parameters = parameters
        elif parameters is not None:
            self.notes.add(
                fields.at("parameters"), "`parameters`", f"it is {kind_of(parameters)}, not a schema of an object"
            )

    def _valid(self, name: str, path: Path) -> str:
        if _TOOL_NAME.fullmatch(name) and name not in RESERVED_TOOLS:
            return name
        valid = _NOT_IN_A_NAME.sub("_", name)[:60] or "tool"
        if not re.match(r"[A-Za-z_]", valid):
            valid = f"_{valid}"
        if valid in RESERVED_TOOLS:
            valid = f"{valid}_tool"
        why = "is a tool of Greenroom's own" if name in RESERVED_TOOLS else "cannot name a tool here"
        self.notes.add(path, f"the name of the tool `{shorten(name, 60)}`", f"it {why}: it is written as `{valid}`")
        return valid

    def made(self, limits: Limits) -> Agent:
        """The agent, valid by the rules of agents; what does not fit is noted."""
        tools = [draft.made() for draft in self._tools.values()]
        agent = self._agent(tools, self.greeting)
        problems = check_agent(agent, limits)
        if not problems:
            return agent
        for problem in problems:
            self.notes.add(self.path, _what(problem, agent), problem.message)
        bad = {step for problem in problems if problem.path[:1] == ("tools",) for step in problem.path[1:2]}
        kept = [
            tool.model_copy(update={"parameters": _ANY_OBJECT}) if index in bad else tool
            for index, tool in enumerate(tools)
        ]
        too_long = any(problem.path[:1] == ("greeting",) for problem in problems)
        return self._agent(kept, None if too_long else self.greeting)

    def _agent(self, tools: list[Tool], greeting: str | None) -> Agent:
        given: dict[str, object] = {
            "greeting": greeting,
            "speaks_first": self.speaks_first,
            "llm": self.llm,
            "tools": tools or None,
            "can_end_call": self.can_end_call or None,
        }
        prompt = self.prompt if self.prompt and self.prompt.strip() else PASTE
        return Agent.model_validate(
            {"name": self.name, "prompt": prompt, **{key: value for key, value in given.items() if value is not None}}
        )


def _what(problem: Problem, agent: Agent) -> str:
    match problem.path:
        case ("tools", int(index), *_):
            return f"the parameters of `{agent.tools[index].name}`"
        case (str(name), *_):
            return f"the agent's `{name}`"
        case _:
            return "the agent"


def _schema_of(value: Json) -> Json:
    match value:
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case list():
            return {"type": "array"}
        case dict():
            return {"type": "object"}
        case _:
            return {}


def unique(name: str, taken: Iterable[str]) -> str:
    """A name of at most 200 characters on one line that nobody has yet."""
    wanted = shorten(squeeze(name), 190) or "Unnamed"
    known = set(taken)
    if wanted not in known:
        return wanted
    number = 2
    while f"{wanted} ({number})" in known:
        number += 1
    return f"{wanted} ({number})"


def read_llm(data: Mapping[str, object], path: Path, notes: Notes) -> Llm | None:
    """A model of the source, where it fits the model's fields."""
    from pydantic import ValidationError

    try:
        return Llm.model_validate(data)
    except ValidationError as error:
        notes.add(path, "the model", said_of(error))
        return None
