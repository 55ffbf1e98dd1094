"""What is written in Python (a test's fields, an agent as a dictionary), held to the rules of the test files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import BaseModel, SecretStr

from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from pydantic import ValidationError

    from greenroom.files.nodes import Node

Model = TypeVar("Model", bound=BaseModel)


def written(model: type[Model], data: Mapping[str, object], what: str) -> Model:
    """The model that plain data describes. Models and tuples inside it are taken as what they hold.

    Raises:
        UserMistake: the data does not fit; every mistake in plain words, with the name that was probably meant.
    """
    from greenroom.files.mistakes import Ledger
    from greenroom.files.validation import validate

    ledger = Ledger()
    made = validate(model, _node(data, what), ledger)
    if made is None:
        raise UserMistake("\n".join(_sentence(what, str(m.message), m.suggestion) for m in ledger.mistakes))
    return made


def explained(error: ValidationError, what: str) -> UserMistake:
    """What pydantic found wrong, one sentence a mistake."""
    lines: list[str] = []
    for detail in error.errors(include_url=False, include_input=False):
        place = ".".join(str(step) for step in detail["loc"])
        reason = str(detail.get("ctx", {}).get("error") or detail["msg"][:1].lower() + detail["msg"][1:])
        lines.append(f"{what}: {f'`{place}`: ' if place else ''}{reason}")
    return UserMistake("\n".join(dict.fromkeys(lines)))


def _sentence(what: str, message: str, suggestion: str | None) -> str:
    hint = f"; did you mean `{suggestion}`?" if suggestion else ""
    return f"{what}: {message}{hint}"


def _node(value: object, path: str) -> Node:
    from greenroom.files.mistakes import Place
    from greenroom.files.nodes import Entry, ListNode, MapNode, ScalarNode

    place = Place(Path("python"), 1, 1)
    match value:
        case BaseModel():
            return _node({name: getattr(value, name) for name in _fields_of(value)}, path)
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return MapNode(place, {str(key): Entry(place, _node(item, f"{path}.{key}")) for key, item in items})
        case str() | bool() | int() | float() | None:
            return ScalarNode(place, value, "" if value is None else str(value), verbatim=True)
        case SecretStr():
            return ScalarNode(place, value.get_secret_value(), "a secret", verbatim=True)
        case Sequence() | set() | frozenset() if not isinstance(value, bytes | bytearray):
            return ListNode(place, tuple(_node(item, path) for item in cast("Sequence[object]", value)))
        case _:
            raise UserMistake(
                f"{path} holds {type(value).__name__}: write it as text, a number, a list or a dictionary"
            )


def _fields_of(model: BaseModel) -> list[str]:
    """The fields that were given, and the `type` of a check, which counts even where it was not written."""
    return [name for name in type(model).model_fields if name in model.model_fields_set or name == "type"]
