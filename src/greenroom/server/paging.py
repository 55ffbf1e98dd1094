"""Lists in pages: the newest first, each page found by the last id of the one before, whatever the total."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, Field
from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from greenroom.model.errors import Problem
from greenroom.server.problems import Invalid

Row = TypeVar("Row")
Item = TypeVar("Item")

MOST = 200


class Page(BaseModel, Generic[Item]):
    """One page of a list. `next_cursor` leads to the next; `null` where there is none."""

    items: list[Item]
    next_cursor: str | None = Field(default=None, examples=["YWd0XzAxams0"])


@dataclass(frozen=True, slots=True)
class Wish:
    """Which page is asked for: at most `limit` items after the item `after`."""

    limit: int = 50
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """The rows of one page, and the id to go on from."""

    rows: Sequence[Row]
    next: str | None

    def page(self, show: Callable[[Row], Item]) -> dict[str, Any]:
        """The page as it is answered."""
        return {"items": [show(row) for row in self.rows], "next_cursor": cursor_for(self.next)}


def cursor_for(last: str | None) -> str | None:
    """The cursor that goes on after the item `last`."""
    return None if last is None else base64.urlsafe_b64encode(last.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> str:
    """The item after which a cursor goes on.

    Raises:
        Invalid: it is no cursor of ours.
    """
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except ValueError:
        text = ""
    if not text or not text.isprintable() or len(text) > 200:
        raise Invalid([Problem(("cursor",), "`cursor` is the `next_cursor` of the page before: send it as it came")])
    return text


def _wish(
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many items at most.")] = 50,
    cursor: Annotated[str | None, Query(max_length=300, description="The `next_cursor` of the page before.")] = None,
) -> Wish:
    return Wish(limit, read_cursor(cursor) if cursor else None)


AskedPage = Annotated[Wish, Depends(_wish)]
"""The page that a request asks for, as a parameter of a route."""


async def fetch_slice(
    session: AsyncSession, query: Select[Row], by: InstrumentedAttribute[str], wish: Wish
) -> Slice[Row]:
    """The rows of `query` on the page that is wished for, in falling order of the id column `by`."""
    if wish.after is not None:
        query = query.where(by < wish.after)
    rows = list((await session.scalars(query.order_by(by.desc()).limit(wish.limit + 1))).all())
    kept = rows[: wish.limit]
    return Slice(kept, getattr(kept[-1], by.key) if len(rows) > wish.limit else None)
