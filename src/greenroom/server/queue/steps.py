"""Remembered steps: what was answered once is never asked again, whatever happens to the process.

A step has a number, drawn in the order in which a run comes to its steps. What a run does side by side (the judge's
questions, a reply's tool calls) would draw numbers in an order of its own each time: each such branch therefore gets a
few numbers of its own when it begins, and branches always begin in the same order. A step's name holds a fingerprint of
what it asks; should it ever meet the answer of another one, the run fails instead of going on with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias
from weakref import WeakKeyDictionary

from dbos import DBOS, StepReservation

from greenroom.model.base import Json

STEPS_A_BRANCH = 4
"""The most steps that a branch makes: a judge is asked at most three times for one answer."""

Remembered: TypeAlias = dict[str, Json]


class Steps(Protocol):
    """Makes steps of a run."""

    async def take(self, kind: str, asks: Json, do: Callable[[], Awaitable[Remembered]]) -> Remembered:
        """What `do` gave when this step was taken for the first time; it is only called then.

        `kind` and `asks` say what the step asks, the same each time that the run comes to it.
        """
        ...


class DurableSteps:
    """Steps of the workflow that runs now, kept by the queue."""

    def __init__(self) -> None:
        self._trunk = asyncio.current_task()
        self._branches: WeakKeyDictionary[asyncio.Task[object], deque[StepReservation]] = WeakKeyDictionary()

    async def take(self, kind: str, asks: Json, do: Callable[[], Awaitable[Remembered]]) -> Remembered:
        """See `Steps.take`."""
        # Drawn before anything is awaited: the order of the numbers is the order of the calls.
        reserved = self._reserve()

        async def body() -> Remembered:
            return await do()

        return await reserved.run_async({"name": f"{kind}:{fingerprint(asks)}"}, body)

    def _reserve(self) -> StepReservation:
        task = asyncio.current_task()
        if task is None or task is self._trunk:
            return DBOS.reserve_step()
        numbers = self._branches.get(task)
        if numbers is None:
            numbers = deque(DBOS.reserve_step() for _ in range(STEPS_A_BRANCH))
            self._branches[task] = numbers
        if not numbers:
            raise RuntimeError(f"a branch of a run made more than {STEPS_A_BRANCH} steps")
        return numbers.popleft()


def fingerprint(asks: Json) -> str:
    """A short text that is the same for the same question."""
    text = json.dumps(asks, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
