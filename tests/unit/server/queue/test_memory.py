"""What a durable run remembers, and how its clock moves."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from greenroom.model.base import Json
from greenroom.model.errors import BrainFailed, BrainFault, OutOfTime, RunError, Stopped
from greenroom.model.talk import BrainReply
from greenroom.server.queue.clock import RunClock
from greenroom.server.queue.liveness import Watch
from greenroom.server.queue.outcomes import Codec, failure, moment
from greenroom.server.queue.serializer import JsonSerializer
from greenroom.server.queue.steps import Remembered, fingerprint
from greenroom.server.queue.store import WorkerRow

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
REPLY = Codec(TypeAdapter(BrainReply))


def written_and_read(outcome: Remembered) -> Remembered:
    return json.loads(json.dumps(outcome))


@given(text=st.text(st.characters(exclude_categories=["Cs"])), at=st.floats(0, 1e6))
def test_an_answer_is_read_back_as_it_was_written(text: str, at: float) -> None:
    outcome = written_and_read(REPLY.answer(BrainReply(text=text, warnings=("w",)), at))
    assert REPLY.read(outcome) == BrainReply(text=text, warnings=("w",))
    assert moment(outcome) == at


@pytest.mark.parametrize("error", [RunError("no"), OutOfTime("late"), Stopped("stop")])
def test_a_failure_fails_again_in_the_same_way(error: RunError | OutOfTime | Stopped) -> None:
    with pytest.raises(type(error), match=str(error)):
        REPLY.read(written_and_read(failure(error, 1.0)))


def test_a_brain_s_failure_keeps_its_fault() -> None:
    error = BrainFailed("busy", fault=BrainFault.RATE_LIMITED, status=429, retry_after=2.0)
    with pytest.raises(BrainFailed) as caught:
        REPLY.read(written_and_read(failure(error, 1.0)))
    assert (caught.value.fault, caught.value.status, caught.value.retry_after) == (BrainFault.RATE_LIMITED, 429, 2.0)


def test_the_clock_moves_only_with_answers_and_never_back() -> None:
    clock = RunClock(START)
    clock.reach(5)
    clock.reach(3)
    assert clock.elapsed() == 5
    assert clock.now() == START + timedelta(seconds=5)
    assert not clock.is_live


async def test_what_took_too_long_took_too_long_again() -> None:
    async def work(clock: RunClock) -> str:
        clock.reach(10)
        return "done"

    first, again = RunClock(START), RunClock(START)
    assert await first.wait(work(first), 10) == "done"
    with pytest.raises(OutOfTime):
        await again.wait(work(again), 9)


async def test_a_prepared_delay_is_not_waited_for_again() -> None:
    clock = RunClock(START)
    await clock.sleep(3600)
    assert clock.elapsed() == 3600


def test_a_fingerprint_does_not_depend_on_the_order_of_fields() -> None:
    one: Json = {"a": 1, "b": [2]}
    other: Json = {"b": [2], "a": 1}
    assert fingerprint(one) == fingerprint(other) != fingerprint({"a": 1, "b": [3]})


def test_nothing_that_was_written_down_can_run() -> None:
    serializer = JsonSerializer()
    assert serializer.deserialize(serializer.serialize({"args": ["run_1"]})) == {"args": ["run_1"]}
    assert str(serializer.deserialize(serializer.serialize(ValueError("bad")))) == "ValueError: bad"
    assert serializer.deserialize(serializer.serialize({"args": [START, None]})) == {"args": [START, None]}


def worker(**changes: object) -> WorkerRow:
    given: dict[str, object] = {"id": "w", "host": "there", "process": 1, "beats": 0, "gone": False}
    return WorkerRow(**{**given, "started_at": START, "beat_at": START, **changes})


def test_a_worker_is_dead_when_its_beats_have_stood_still_for_a_lease() -> None:
    now = [0.0]
    lives: Callable[[int], bool] = lambda process: process == 1  # noqa: E731
    watch = Watch(10, "here", lambda: now[0], lives)
    assert not watch.is_dead(worker())
    now[0] = 9
    assert not watch.is_dead(worker(beats=1))
    now[0] = 18
    assert not watch.is_dead(worker(beats=1))
    now[0] = 19
    assert watch.is_dead(worker(beats=1))


def test_a_worker_of_this_machine_is_dead_with_its_process() -> None:
    watch = Watch(10, "here", lambda: 0.0, lambda process: process == 1)
    assert watch.is_dead(worker(host="here", process=2))
    assert not watch.is_dead(worker(host="here", process=1))
    assert not watch.is_dead(worker(host="there", process=2))
    assert watch.is_dead(worker(gone=True))
