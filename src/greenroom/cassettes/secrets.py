"""What must never reach a cassette."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from pydantic import BaseModel, SecretStr

from greenroom.outgoing.hiding import KEY, TOKEN, header_secrets, secret_forms


def secrets_of(written: Iterable[BaseModel], environ: Mapping[str, str]) -> frozenset[str]:
    """Every secret in agents and credentials, and the keys of the environment.

    A variable of the environment counts when its name and its value look like those of a key: a replay may lack the
    variable, and then what is no secret must be on the tape as it was asked.
    """
    keys = header_secrets((name, value) for name, value in environ.items() if TOKEN.search(value) or KEY.search(value))
    return keys | secret_forms(secret for model in written for secret in _secrets(model))


def _secrets(value: object) -> Iterator[str]:
    match value:
        case SecretStr():
            yield value.get_secret_value()
        case BaseModel():
            for name in type(value).model_fields:
                yield from _secrets(getattr(value, name))
        case dict():
            for item in cast("dict[object, object]", value).values():
                yield from _secrets(item)
        case list():
            for item in cast("list[object]", value):
                yield from _secrets(item)
        case _:
            return
