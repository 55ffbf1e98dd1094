"""When two JSON values count as the same: for canned answers that depend on arguments, and for expected arguments."""

from __future__ import annotations

import unicodedata
from decimal import Decimal, InvalidOperation

from greenroom.model.base import Json


def same_value(wanted: Json, got: Json) -> bool:
    """Whether `got` is what was wanted.

    Text is compared trimmed, in NFKC and without regard to case; numbers by value, also where one side wrote the
    number as text; lists item by item; of objects only the wanted fields count.
    """
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(key in got and same_value(item, got[key]) for key, item in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(got, list)
            and len(wanted) == len(got)
            and all(same_value(one, other) for one, other in zip(wanted, got, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(got, bool) or wanted is None or got is None:
        return _plain(wanted) == _plain(got) if isinstance(wanted, str) or isinstance(got, str) else wanted is got
    if isinstance(got, dict | list):
        return False
    if not (isinstance(wanted, str) and isinstance(got, str)):
        one, other = _number(wanted), _number(got)
        return one is not None and one == other
    return _plain(wanted) == _plain(got)


def _plain(value: Json) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _number(value: str | int | float) -> Decimal | None:
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
