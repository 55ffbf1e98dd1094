"""How what the queue remembers is written down: as JSON, so that nothing in the database can be made to run."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, cast

from dbos import Serializer

_MOMENT = "$moment"


class JsonSerializer(Serializer):
    """Writes arguments, answers and errors as JSON. An error is read back as `Remembered` with the same sentence, a
    moment (which schedules give to what they start) as the same moment."""

    def serialize(self, data: Any) -> str:
        if isinstance(data, BaseException):
            return json.dumps({"$error": type(data).__name__, "message": str(data)}, ensure_ascii=False)
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_written)

    def deserialize(self, serialized_data: str) -> Any:
        data: Any = json.loads(serialized_data, object_hook=_read)
        if isinstance(data, dict) and "$error" in data:
            error = cast("dict[str, str]", data)  # as written above
            return Remembered(f"{error['$error']}: {error['message']}")
        return cast("object", data)

    def name(self) -> str:
        return "greenroom_json"


def _written(value: object) -> object:
    if isinstance(value, datetime):
        return {_MOMENT: value.isoformat()}
    raise TypeError(f"a {type(value).__name__} cannot be kept in the queue")


def _read(data: dict[str, Any]) -> Any:
    return datetime.fromisoformat(data[_MOMENT]) if data.keys() == {_MOMENT} else data


class Remembered(Exception):
    """An error of an earlier execution, as it was written down."""
