"""What `greenroom pull` does: makes a test file of what the server has."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from rich.text import Text

from greenroom.cli.exits import ExitCode
from greenroom.cli.generating import as_yaml
from greenroom.cli.output import Output
from greenroom.cli.server_client import ServerClient, open_server
from greenroom.cli.writing import write_new_files
from greenroom.files.dump import dump_agent, dump_file
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake

_IS_SET = {"set": True}
_NOT_IN_NAMES = re.compile(r"[^A-Z0-9]+")


def pull_agent(word: str, server: str | None, key: str | None, out: Path | None, *, force: bool) -> int:
    """Fetch an agent and its tests, and the agents that it may hand over to.

    Raises:
        UserMistake: there is no such agent, the server refuses, or the file is there already.
    """
    output = Output.open(as_json=False)
    if out is not None and out.exists() and not force:
        raise UserMistake(f"{out} is there already: nothing was written; add --force to overwrite")
    secrets: list[str] = []
    with open_server(server, key) as client:
        agent_id = _id_of(client, word)
        agents = _with_others(client, agent_id, secrets)
        tests = [_read(Test, each) for each in client.all(f"/v1/agents/{agent_id}/tests")]
    tests.reverse()  # the oldest first, as they were written
    text = _as_file(agents, tests)
    if out is None:
        sys.stdout.write(text)
    else:
        write_new_files({out: text}, force=force)
        output.say(Text(f"Wrote {agents[0].name} and its {len(tests)} tests to ").append(str(out), style="bold"))
    if secrets:
        output.say_aside(Text(f"Set these secrets in the environment before you use the file: {', '.join(secrets)}"))
    return ExitCode.ALL_PASSED


def _id_of(client: ServerClient, word: str) -> str:
    if re.fullmatch(r"agt_[0-9a-z]+", word):
        return word
    found = client.named("/v1/agents", word, "agent")
    if found is None:
        names = [f"`{each['name']}`" for each in client.get("/v1/agents", limit=5).body["items"]]
        there = f"it has {', '.join(names)}" if names else "it has none"
        raise UserMistake(f"The server has no agent named `{word}`: {there}.")
    return str(found["id"])


def _with_others(client: ServerClient, agent_id: str, secrets: list[str]) -> list[Agent]:
    """An agent, and those that its talks may move to. One that is not there any more is left out everywhere."""
    found: dict[str, Agent] = {}
    ids: dict[str, str] = {}
    waiting = [agent_id]
    while waiting:
        wanted = waiting.pop(0)
        if wanted in found:
            continue
        told = client.get(f"/v1/agents/{wanted}/draft").body
        agent = _read(Agent, told, secrets, prefix="" if wanted == agent_id else f"{told['name']}_")
        found[wanted] = agent
        for word in agent.can_hand_off:
            if word not in ids and (other := _find(client, word)) is not None:
                ids[word] = other
                waiting.append(other)
    named = {word: found[other].name for word, other in ids.items()}
    return [_with_hand_offs(agent, named) for agent in found.values()]


def _find(client: ServerClient, word: str) -> str | None:
    found = next((each for each in client.all("/v1/agents") if word in (each["id"], each["name"])), None)
    return None if found is None else str(found["id"])


def _with_hand_offs(agent: Agent, named: Mapping[str, str]) -> Agent:
    if not agent.can_hand_off:
        return agent
    return agent.model_copy(update={"can_hand_off": [named[word] for word in agent.can_hand_off if word in named]})


def _read(model: type[Any], told: Mapping[str, Any], secrets: list[str] | None = None, prefix: str = "") -> Any:
    """What the server tells of an agent or a test, with `${NAME}` in the place of each secret."""
    fields: dict[str, Any] = {}
    for name, field in cast("type[BaseModel]", model).model_fields.items():
        if name in told and name not in ("id", "agent"):
            default: object = field.get_default(call_default_factory=True)
            value = _named_secrets(told[name], (prefix, name) if prefix else (name,), secrets)
            if value != default:
                fields[name] = value
    try:
        return model.model_validate(fields)
    except ValidationError:
        raise UserMistake(
            f"`{told.get('name')}` is of a newer Greenroom than this one: bring this one up to date."
        ) from None


def _named_secrets(value: Any, path: tuple[str, ...], secrets: list[str] | None) -> Any:
    if value == _IS_SET and secrets is not None:
        name = _NOT_IN_NAMES.sub("_", "_".join(path).upper()).strip("_")
        name = f"_{name}" if name[:1].isdigit() else name
        secrets.append(name)
        return f"${{{name}}}"
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _named_secrets(item, (*path, key), secrets) for key, item in items}
    if isinstance(value, list):
        return [
            _named_secrets(item, (*path, _name_of(item, number)), secrets)
            for number, item in enumerate(cast("list[Any]", value), start=1)
        ]
    return value


def _name_of(item: Any, number: int) -> str:
    name = cast("dict[str, Any]", item).get("name") if isinstance(item, dict) else None
    return name if isinstance(name, str) else str(number)


def _as_file(agents: Sequence[Agent], tests: Sequence[Test]) -> str:
    if len(agents) == 1:
        return dump_file(agents[0], tests)
    listed = "".join("  - " + _indented(dump_agent(agent)).removeprefix("    ") for agent in agents)
    return f"agents:\n{listed}" + (as_yaml(tests) if tests else "tests: []\n")


def _indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
