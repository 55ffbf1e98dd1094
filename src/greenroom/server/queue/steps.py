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
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias
from weakref import WeakKeyDictionary

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


class Memory(Protocol):
    """Keeps the outcomes of a run's steps."""

    def keep(self, number: int, name: str, outcome: Remembered) -> None:
        """Keep an outcome: written down before anything that follows from it goes out."""
        ...


class RememberedSteps:
    """The steps of one playing of a run, made in the task that plays it. `earlier` is what former playings kept: the
    name and the outcome of each step, by its number."""

    def __init__(self, memory: Memory, earlier: Mapping[int, tuple[str, Remembered]]) -> None:
        self._memory = memory
        self._earlier = earlier
        self._next = 0
        self._trunk = asyncio.current_task()
        self._branches: WeakKeyDictionary[asyncio.Task[object], deque[int]] = WeakKeyDictionary()

    async def take(self, kind: str, asks: Json, do: Callable[[], Awaitable[Remembered]]) -> Remembered:
        """See `Steps.take`."""
        # Drawn before anything is awaited: the order of the numbers is the order of the calls.
        number, name = self._draw(), f"{kind}:{fingerprint(asks)}"
        earlier = self._earlier.get(number)
        if earlier is not None:
            kept_name, outcome = earlier
            if kept_name != name:
                raise RuntimeError(f"step {number} was {kept_name} and is {name} now: the run does not repeat itself")
            return outcome
        outcome = await do()
        self._memory.keep(number, name, outcome)
        return outcome

    def _draw(self) -> int:
        task = asyncio.current_task()
        if task is None or task is self._trunk:
            return self._reserve()
        numbers = self._branches.get(task)
        if numbers is None:
            numbers = deque(self._reserve() for _ in range(STEPS_A_BRANCH))
            self._branches[task] = numbers
        if not numbers:
            raise RuntimeError(f"a branch of a run made more than {STEPS_A_BRANCH} steps")
        return numbers.popleft()

    def _reserve(self) -> int:
        self._next += 1
        return self._next


def fingerprint(asks: Json) -> str:
    """A short text that is the same for the same question."""
    text = json.dumps(asks, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
