"""From a tree to an agent or a test: what pydantic finds wrong, in plain words and at its place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from greenroom.files.mistakes import Ledger, Mistake, Place
from greenroom.files.nodes import ListNode, MapNode, Node, ScalarNode, place_at, plain
from greenroom.files.shapes import Fork, Trail, follow, is_model
from greenroom.files.wording import FOUND, message_for, not_this, noun_of
from greenroom.model.errors import Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Model = TypeVar("Model", bound=BaseModel)

_BACKTICKED = re.compile(r"`([A-Za-z_]+)")


def validate(model: type[Model], node: Node, ledger: Ledger) -> Model | None:
    """The model that a tree describes; `None`, with every mistake noted at its place, where it does not."""
    if not isinstance(node, MapNode):
        ledger.add(node.place, f"{noun_of(model)} is a mapping: write its fields one a line, as `name: value`")
        return None
    try:
        # Strict: text is no number and `yes` no boolean here, so that the files and their JSON Schema agree.
        return model.model_validate(plain(node), strict=True)
    except ValidationError as error:
        for mistake in _explain(model, node, error.errors(include_url=False)):
            ledger.add_mistake(mistake)
    return None


def note_problems(problems: Sequence[Problem], node: Node, ledger: Ledger, *, lead: str = "") -> None:
    """Note what the rules found, at its place; `lead` comes before each message."""
    for problem in problems:
        ledger.add(place_at(node, problem.path), lead + problem.message)


def explain_errors(model: type[BaseModel], node: Node, error: ValidationError) -> list[Mistake]:
    """The mistakes behind a failed validation of the data of a tree."""
    return _explain(model, node, error.errors(include_url=False))


def _explain(model: type[BaseModel], node: Node, errors: Sequence[ErrorDetails]) -> list[Mistake]:
    trails = [(follow(model, error["loc"]), error) for error in errors]
    kept = [(trail, error) for trail, error in trails if trail.fork is None or _is_the_meant_arm(node, trail.fork)]
    told = [(trail, error["type"], _mistake(node, trail, error)) for trail, error in kept]
    # A missing field whose misspelled name is told at its own place needs no line of its own.
    misspelled = {(*trail.path[:-1], mistake.suggestion) for trail, kind, mistake in told if kind == "extra_forbidden"}
    mistakes = [mistake for trail, kind, mistake in told if kind != "missing" or trail.path not in misspelled]
    mistakes.extend(_lost_forks(node, [trail.fork for trail, _ in trails if trail.fork]))
    return list(dict.fromkeys(mistakes))


def _node_at(node: Node, path: Sequence[str | int]) -> Node | None:
    current: Node | None = node
    for step in path:
        if isinstance(current, MapNode) and isinstance(step, str):
            current = current.get(step)
        elif isinstance(current, ListNode) and isinstance(step, int) and step < len(current.items):
            current = current.items[step]
        else:
            return None
    return current


def _kind(node: Node | None) -> str:
    match node:
        case MapNode():
            return "mapping"
        case ListNode():
            return "list"
        case _:
            return "scalar"


def _arm_kind(arm: object) -> str:
    if is_model(arm) or str(arm).startswith("dict["):
        return "mapping"
    return "list" if str(arm).startswith("list[") else "scalar"


def _is_the_meant_arm(node: Node, fork: Fork) -> bool:
    """Whether the written value has the form of the type that the error is about."""
    kind = _kind(_node_at(node, fork.path))
    return _arm_kind(fork.arm) == kind and kind != "scalar"


def _lost_forks(node: Node, forks: Sequence[Fork]) -> list[Mistake]:
    """Places where what is written has the form of none of the types that may stand there."""
    mistakes: list[Mistake] = []
    for fork in forks:
        value = _node_at(node, fork.path)
        kinds = {_arm_kind(arm) for arm in fork.choices}
        if value is None or (_kind(value) in kinds and _kind(value) != "scalar"):
            continue
        wanted = " or ".join(dict.fromkeys(FOUND[_arm_kind(arm)] for arm in fork.choices))
        name = next((str(step) for step in reversed(fork.path) if isinstance(step, str)), "this")
        mistakes.append(Mistake.at(value.place, f"`{name}` is {wanted}{not_this(value)}"))
    return mistakes


def _mistake(node: Node, trail: Trail, error: ErrorDetails) -> Mistake:
    value = _node_at(node, trail.path)
    message, suggestion = message_for(error, trail, value)
    match error["type"]:
        case "missing":
            place = place_at(node, trail.path[:-1])
        case "extra_forbidden":
            place = place_at(node, trail.path, of_key=True)
        case "union_tag_invalid":
            place = place_at(node, (*trail.path, "type"))
        case "value_error":
            place = _place_of_word(message, value) or place_at(node, trail.path)
        case _:
            place = place_at(node, trail.path)
    return Mistake.at(place, message, suggestion)


def _place_of_word(message: str, value: Node | None) -> Place | None:
    """Where the field, or the item of that name, stands of which a sentence speaks first."""
    if not isinstance(value, MapNode):
        return None
    for word in _BACKTICKED.findall(message):
        if word in value.entries:
            return value.entries[word].key_place
        named = [node.place for node in _names(value) if node.value == word]
        if named:
            return named[-1]
    return None


def _names(node: MapNode) -> Iterator[ScalarNode]:
    """The names of the items in a mapping's lists."""
    for entry in node.entries.values():
        for item in entry.value.items if isinstance(entry.value, ListNode) else ():
            name = item.get("name") if isinstance(item, MapNode) else None
            if isinstance(name, ScalarNode):
                yield name
