"""What may stand where in an agent or a test, read off the models: for suggestions, overrides and plain messages."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from greenroom.model.case import Test

Step = str | int


def arms(annotation: Any) -> tuple[Any, ...]:
    """The types that an annotation allows, one by one, without `None`."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return arms(get_args(annotation)[0])
    if origin is Union or origin is types.UnionType:
        return tuple(arm for part in get_args(annotation) for arm in arms(part))
    return () if annotation is type(None) else (annotation,)


def allows_none(annotation: Any) -> bool:
    """Whether nothing (`null`) may stand there."""
    if get_origin(annotation) is Annotated:
        return allows_none(get_args(annotation)[0])
    return annotation is type(None) or type(None) in get_args(annotation)


def is_model(arm: Any) -> bool:
    return isinstance(arm, type) and issubclass(arm, BaseModel)


def field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model, in the order of their definition."""
    return tuple(model.model_fields)


def tag_of(model: type[BaseModel]) -> str | None:
    """The `type` by which a model is told from the others of its union."""
    field = model.model_fields.get("type")
    if field is None or get_origin(field.annotation) is not Literal:
        return None
    return str(get_args(field.annotation)[0])


def check_models() -> tuple[type[BaseModel], ...]:
    """The checks that there are."""
    return arms(step_into(arms(Test.model_fields["checks"].annotation)[0], 0))


def step_into(arm: Any, step: Step) -> Any | None:
    """The annotation of what is found at `step` (a field, a key or an index) of a type; `None` where nothing is."""
    if is_model(arm):
        field = arm.model_fields.get(step)
        return field.annotation if field is not None else None
    origin = get_origin(arm)
    if origin is list and isinstance(step, int):
        return get_args(arm)[0]
    if origin is dict and isinstance(step, str):
        return get_args(arm)[1]
    return None


@dataclass(frozen=True, slots=True)
class Fork:
    """A place that takes one of several types (text or a list, say), and the type that an error is about."""

    path: tuple[Step, ...]
    arm: Any
    choices: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Trail:
    """Where an error of pydantic's stands in the data: the model that holds the last field of `path`, and the types
    that are expected there."""

    path: tuple[Step, ...]
    owner: type[BaseModel]
    expected: tuple[Any, ...]
    fork: Fork | None = None


def follow(model: type[BaseModel], location: Sequence[Step]) -> Trail:
    """Find the place in the data that an error's location means: locations name union members too, data does not."""
    current: tuple[Any, ...] = (model,)
    owner, fork = model, None
    path: list[Step] = []
    for step in location:
        if len(current) > 1 and isinstance(step, str):
            chosen = next((arm for arm in current if _label_fits(arm, step)), None)
            if chosen is not None:
                if not (is_model(chosen) and tag_of(chosen)):
                    fork = fork or Fork(tuple(path), chosen, current)
                current = (chosen,)
                continue
        path.append(step)
        owner = next((arm for arm in current if is_model(arm)), owner)
        found = next((after for arm in current if (after := step_into(arm, step)) is not None), None)
        current = arms(found) if found is not None else ()
    return Trail(tuple(path), owner, current, fork)


def _label_fits(arm: Any, label: str) -> bool:
    if is_model(arm):
        return label in (arm.__name__, tag_of(arm))
    origin = get_origin(arm)
    return label.startswith(f"{origin.__name__}[") if origin in (list, dict) else label == getattr(arm, "__name__", "")
