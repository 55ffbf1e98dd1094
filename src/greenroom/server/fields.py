"""How a field of a request is named: `checks[2].text`, `variables.company`, `variables["my name"]`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def field_name(path: Sequence[str | int]) -> str | None:
    """The name of the field at `path`; `None` for the body as a whole."""
    name = ""
    for step in path:
        if isinstance(step, int):
            name += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            name += f".{step}" if name else step
        else:
            name += f"[{json.dumps(step, ensure_ascii=False)}]"
    return name or None
