"""Changes of an agent for one run, as given on the command line: `--set FIELD=VALUE`, `--model PROVIDER:NAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr, ValidationError

from greenroom.files.mistakes import Ledger, Place
from greenroom.files.nodes import Entry, ListNode, MapNode, Node, ScalarNode, plain
from greenroom.files.parts import LLM_FIELDS
from greenroom.files.shapes import allows_none, arms, field_names, is_model, step_into
from greenroom.files.text_files import read_text
from greenroom.files.validation import explain_errors
from greenroom.files.yaml_reader import read_yaml
from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm
from greenroom.model.rules import nearest

_NOWHERE = Place(Path("--set"), 1, 1)


def override_agent(agent: Agent, assignments: Mapping[str, object]) -> Agent:
    """The agent with fields set, held to the agent's own rules.

    A field is a path of names with dots: `prompt`, `llm.temperature`, `variables.company`. Items of a list go by
    their number from 0 or by their name: `tools.0.description`, `tools.book_slot.description`.

    A value that is no text is taken as it is. Of texts, `@FILE` stands for what the file holds (`@@` for a text that
    starts with `@`). Where the field is text, so is the value, but `null` empties a field that may be empty; any
    other field reads the value as YAML. Setting `llm.model` to another provider drops what only fitted the old one.

    Raises:
        UserMistake: a field is not known, a file cannot be read, or a value does not fit.
    """
    data = agent.model_dump(exclude_unset=True)
    for path, value in assignments.items():
        _Setter(path).set(data, value)
    for field in LLM_FIELDS:
        before: Llm | None = getattr(agent, field)
        if before is not None and isinstance(data.get(field), dict) and field not in assignments:
            given = {path.removeprefix(f"{field}.") for path in assignments if path.startswith(f"{field}.")}
            data[field] = _fitting(before, data[field], given)
    return _validated(data, "--set")


def with_model(agent: Agent, model: str) -> Agent:
    """The agent with its brain replaced by `model` (`provider:name`).

    Temperature and token limit stay. A script, a base URL and a credential go when the provider is another one.
    Models of its own for caller and judge stay as they are; where it has none, they follow its brain.

    Raises:
        UserMistake: `model` is not a model, or needs more than its name.
    """
    data = agent.model_dump(exclude_unset=True)
    llm: dict[str, Any] = {**(data.get("llm") or {}), "model": model}
    data["llm"] = _fitting(agent.llm, llm, set()) if agent.llm else llm
    return _validated(data, "--model")


def _fitting(before: Llm, after: dict[str, Any], given: set[str]) -> dict[str, Any]:
    """A model's settings without those that belonged to the provider before it."""
    if str(after.get("model")).partition(":")[0] == before.provider:
        return after
    own = {"script", "base_url", "credential"} - given
    return {name: value for name, value in after.items() if name not in own}


def _validated(data: dict[str, Any], source: str) -> Agent:
    try:
        return Agent.model_validate(data, strict=True)
    except ValidationError as error:
        mistakes = explain_errors(Agent, _node_of(data), error)
        lines = [
            f"{source}: {mistake.message}" + (f"; did you mean `{mistake.suggestion}`?" if mistake.suggestion else "")
            for mistake in mistakes
        ]
        raise UserMistake("\n".join(lines)) from None


def _node_of(value: object) -> Node:
    """A tree of plain data, for messages alone: secrets are left out."""
    match value:
        case dict():
            items = cast("dict[str, object]", value).items()
            return MapNode(_NOWHERE, {key: Entry(_NOWHERE, _node_of(item)) for key, item in items})
        case list():
            return ListNode(_NOWHERE, tuple(_node_of(item) for item in cast("list[object]", value)))
        case str() | bool() | int() | float() | None:
            return ScalarNode(_NOWHERE, value, "" if value is None else str(value))
        case SecretStr():
            return ScalarNode(_NOWHERE, "secret", "secret")
        case _:
            return ScalarNode(_NOWHERE, type(value).__name__, type(value).__name__)


def _empty(types: Sequence[Any]) -> object:
    return list[object]() if any(str(arm).startswith("list[") for arm in types) else dict[str, object]()


class _Setter:
    """Sets one field in the plain data of an agent."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._steps = path.split(".")

    def set(self, data: dict[str, Any], value: object) -> None:
        container: Any = data
        types: tuple[Any, ...] = (Agent,)
        for index, name in enumerate(self._steps):
            step = self._step(container, types, name)
            found = next((after for arm in types if (after := step_into(arm, step)) is not None), None)
            last = index == len(self._steps) - 1
            if last:
                container[step] = self._read(value, found)
                return
            types = arms(found) if found is not None else ()
            container = self._enter(container, step, types)

    def _step(self, container: Any, types: Sequence[Any], name: str) -> str | int:
        model = next((arm for arm in types if is_model(arm)), None)
        if model is not None and isinstance(container, dict):
            if name in model.model_fields:
                return name
            near = nearest(name, field_names(model))
            known = ", ".join(f"`{field}`" for field in field_names(model))
            hint = f"did you mean `{near}`?" if near else f"it can be {known}."
            raise UserMistake(f"--set {self._path}: there is no field `{name}`; {hint}")
        if isinstance(container, dict):
            return name
        if isinstance(container, list):
            return self._index(cast("list[Any]", container), name)
        raise UserMistake(f"--set {self._path}: there is nothing below the field before `{name}`: set that one.")

    def _index(self, items: list[Any], name: str) -> int:
        if name.isdecimal() and int(name) < len(items):
            return int(name)
        names = [cast("dict[str, object]", item).get("name") if isinstance(item, dict) else None for item in items]
        known = [item for item in names if isinstance(item, str)]
        if name in known:
            return names.index(name)
        near = nearest(name, known)
        hint = (
            f"did you mean `{near}`?" if near else f"there are {len(items)} items: {', '.join(known) or 'none named'}."
        )
        raise UserMistake(f"--set {self._path}: there is no item `{name}`; {hint}")

    def _enter(self, container: Any, step: str | int, types: Sequence[Any]) -> Any:
        items = cast("dict[str | int, Any]", container)
        below = items.get(step) if isinstance(container, dict) else items[step]
        if below is None:
            # What is not there yet starts empty, so that `llm.model` can be set on an agent without a brain.
            below = items[step] = _empty(types)
        return below

    def _read(self, value: object, annotation: Any) -> object:
        if not isinstance(value, str):
            return value
        text = self._contents(value[1:]) if value.startswith("@") and not value.startswith("@@") else value
        text = text.removeprefix("@") if value.startswith("@@") else text
        kinds = arms(annotation) if annotation is not None else ()
        if str in kinds or SecretStr in kinds:
            return None if value == "null" and allows_none(annotation) else text
        return self._yaml(text)

    def _contents(self, path: str) -> str:
        ledger = Ledger()
        text = read_text(Path(path).expanduser(), ledger)
        if text is None:
            raise UserMistake("\n".join(f"--set {self._path}: {mistake.message}." for mistake in ledger.mistakes))
        return text.rstrip("\n")

    def _yaml(self, text: str) -> object:
        ledger = Ledger()
        node = read_yaml(text, Path(f"--set {self._path}"), ledger) if text.strip() else None
        ledger.raise_any()
        return None if node is None else plain(node)


def read_assignments(written: Sequence[str], what: str) -> dict[str, str]:
    """The fields that `FIELD=VALUE` texts name, and their values as written. `what` is the option they were given to.

    Raises:
        UserMistake: one is not written so.
    """
    read: dict[str, str] = {}
    for setting in written:
        key, sign, value = setting.partition("=")
        if not sign or not key.strip():
            raise UserMistake(f"{what} {setting}: write FIELD=VALUE, for example {what} prompt=@prompts/new.md")
        read[key.strip()] = value
    return read
