"""What `greenroom push` does: compares a file with what the server has, and sends what is new or different."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, SecretStr, ValidationError
from rich.text import Text

from greenroom.cli.exits import ExitCode
from greenroom.cli.output import Output
from greenroom.cli.server_client import ServerClient, open_server
from greenroom.files.agents import find_file, load_agents
from greenroom.files.casting import Player
from greenroom.files.load import load_files
from greenroom.files.mistakes import FileMistakes, Mistake
from greenroom.files.suite import Case
from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake

Change = Literal["created", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class PushedAgent:
    """An agent as the server has it now."""

    id: str
    name: str
    version: int | None
    change: Change


@dataclass(frozen=True, slots=True)
class PushedTest:
    """A test as the server has it now."""

    id: str
    name: str
    agent_id: str
    agent: str
    change: Change


def push_file(file: Path | None, server: str | None, key: str | None, *, as_json: bool) -> int:
    """Bring a file to a server.

    Raises:
        UserMistake: something in the file is wrong, a secret of it is not set, or the server refuses.
    """
    path = find_file(file)
    players, cases = _read(path)
    output = Output.open(as_json=as_json)
    with open_server(server, key) as client:
        # All agents come first: they may hand over to each other, and the tests are checked against them.
        agents = {player.agent.name: _push_agent(client, player.agent, players, path) for player in players}
        tests: list[PushedTest] = []
        for name, agent in agents.items():
            own = [case.test for case in cases if case.agent.name == name]
            if own:
                tests += _push_tests(client, agent, own)
    if as_json:
        result = {"agents": [asdict(agent) for agent in agents.values()], "tests": [asdict(test) for test in tests]}
        output.print_json(json.dumps(result, ensure_ascii=False, indent=2))
        return ExitCode.ALL_PASSED
    _tell(output, agents.values(), tests)
    return ExitCode.ALL_PASSED


def _read(file: Path) -> tuple[Sequence[Player], Sequence[Case]]:
    """The agents of a file, with all their secrets, and its tests."""
    players = load_agents(file, environ=os.environ).cases[0].players
    missing = [unset for player in players for unset in player.unset]
    if missing:
        places = sorted({(unset.place, unset.message) for unset in missing})
        raise FileMistakes(Mistake.at(place, message) for place, message in places)
    try:
        cases = load_files([file], environ=os.environ).cases
    except FileMistakes:
        raise
    except UserMistake:  # there are agents, and no tests
        cases = ()
    return players, cases


def _push_agent(client: ServerClient, agent: Agent, players: Iterable[Player], file: Path) -> PushedAgent:
    ids = {player.agent.id: player.agent.name for player in players if player.agent.id is not None}
    data = {**as_data(agent), **_hand_offs(agent, ids)}
    data.pop("id", None)
    there = client.named("/v1/agents", agent.name, "agent")
    if there is None:
        made = client.send("POST", "/v1/agents", data).body
        return PushedAgent(made["id"], agent.name, made["version"], "created")
    path = f"/v1/agents/{there['id']}"
    draft = client.get(f"{path}/draft")
    known = {name: item for name, item in draft.body.items() if name in Agent.model_fields and name != "id"}
    changed = client.send("PATCH", f"{path}/draft", changes(known, data), draft.etag)
    published = client.send("POST", f"{path}/publish", {"note": f"Pushed from {file.name}"}, changed.etag).body
    is_new = published["version"] != there["published_version"]
    return PushedAgent(there["id"], agent.name, published["version"], "updated" if is_new else "unchanged")


def _hand_offs(agent: Agent, names: Mapping[str, str]) -> dict[str, Json]:
    """Whom an agent may hand over to, by the names by which the server finds them."""
    return {"can_hand_off": [names.get(word, word) for word in agent.can_hand_off]} if agent.can_hand_off else {}


def _push_tests(client: ServerClient, agent: PushedAgent, tests: Sequence[Test]) -> Iterable[PushedTest]:
    path = f"/v1/agents/{agent.id}/tests"
    there: dict[str, list[dict[str, Any]]] = {}
    for each in client.all(path):
        there.setdefault(each["name"], []).append(each)
    for test in tests:
        same = there.get(test.name, [])
        if len(same) > 1:
            raise UserMistake(f"The server has {len(same)} tests named `{test.name}`: rename or delete all but one.")
        data = as_data(test)
        for name in ("id", "agent"):
            data.pop(name, None)
        change: Change = "created"
        if same and _is_same(same[0], data):
            test_id, change = same[0]["id"], "unchanged"
        elif same:
            etag = f'"{same[0]["version"]}"'
            test_id, change = client.send("PUT", f"{path}/{same[0]['id']}", data, etag).body["id"], "updated"
        else:
            test_id = client.send("POST", path, data).body["id"]
        yield PushedTest(test_id, test.name, agent.id, agent.name, change)


def _is_same(told: Mapping[str, Any], data: Mapping[str, Json]) -> bool:
    fields = {name: told[name] for name in Test.model_fields if name in told and name not in ("id", "agent")}
    try:
        return Test.model_validate(fields).model_dump() == Test.model_validate(data).model_dump()
    except ValidationError:  # the server's is of a newer kind
        return False


def as_data(model: BaseModel) -> dict[str, Json]:
    """An agent or a test as it is sent: what was written, its secrets in clear."""
    return cast("dict[str, Json]", _plain(model.model_dump(exclude_unset=True)))  # an agent or a test is an object


def _plain(value: object) -> Json:
    match value:
        case SecretStr():
            return value.get_secret_value()
        case dict():
            items = cast("Mapping[object, object]", value).items()
            return {str(key): _plain(item) for key, item in items}
        case list() | tuple():
            return [_plain(item) for item in cast("Sequence[object]", value)]
        case str() | int() | float() | bool() | None:
            return value
        case _:
            raise TypeError(f"a model holds a {type(value).__name__}, which is not JSON")


def changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """The JSON Merge Patch (RFC 7396) that makes `after` of `before`. A secret (`{"set": true}`) is always sent."""
    patch: dict[str, Json] = dict.fromkeys((name for name in before if name not in after), None)
    for name, item in after.items():
        old = before.get(name)
        if isinstance(old, dict) and isinstance(item, dict):
            inner = changes(old, item)
            if inner:
                patch[name] = inner
        elif name not in before or old != item:
            patch[name] = item
    return patch


def _tell(output: Output, agents: Iterable[PushedAgent], tests: Sequence[PushedTest]) -> None:
    for agent in agents:
        version = f", version {agent.version}" if agent.version is not None else ""
        output.say(Text(agent.name, style="bold").append(f"  {agent.id}{version}, {agent.change}", style="dim"))
        for test in tests:
            if test.agent_id == agent.id:
                output.say(Text(f"  {test.name}").append(f"  {test.id}, {test.change}", style="dim"))
