"""When a failing model is asked again, and how long is waited in between."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.brains.retry import RetryingBrain, RetryPolicy
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Llm
from greenroom.model.talk import BrainReply, BrainRequest, Usage

REQUEST = BrainRequest(role="agent", llm=Llm(model="openai:m"), system="", messages=())
PASSING = {
    BrainFault.RATE_LIMITED,
    BrainFault.UNAVAILABLE,
    BrainFault.TIMEOUT,
    BrainFault.UNREACHABLE,
    BrainFault.MALFORMED,
}


class Failing:
    """Fails as often as told, then answers; the clock moves on by `takes` seconds with each try."""

    def __init__(self, *failures: BrainFailed, takes: float = 0) -> None:
        self._failures = list(failures)
        self._takes = takes
        self.limits: list[float | None] = []
        self.waits: list[float] = []
        self.now = 100.0

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        self.limits.append(seconds_left)
        self.now += self._takes
        if self._failures:
            raise self._failures.pop(0)
        return BrainReply("Yes.", usage=Usage(10, 5))

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def retrying(self, *, chance: float = 1.0, retries: int = 3) -> RetryingBrain:
        policy = RetryPolicy(retries, sleep=self.sleep, chance=lambda: chance, elapsed=lambda: self.now)
        return RetryingBrain(self, policy)


def failure(fault: BrainFault = BrainFault.UNAVAILABLE, retry_after: float | None = None) -> BrainFailed:
    return BrainFailed("OpenAI is down.", fault=fault, status=500, retry_after=retry_after)


@pytest.mark.parametrize("fault", list(BrainFault))
async def test_only_what_may_pass_is_asked_again(fault: BrainFault) -> None:
    failing = Failing(failure(fault))
    if fault in PASSING:
        assert (await failing.retrying().reply(REQUEST)).requests == 2
    else:
        with pytest.raises(BrainFailed, match=r"^OpenAI is down\.$"):
            await failing.retrying().reply(REQUEST)
        assert failing.waits == []


async def test_waits_double_and_stop_growing() -> None:
    failing = Failing(*[failure()] * 7)
    await failing.retrying(retries=7).reply(REQUEST)
    assert failing.waits == [0.5, 1, 2, 4, 8, 8, 8]


async def test_after_the_last_retry_the_sentence_counts_the_tries() -> None:
    failing = Failing(*[failure(retry_after=1)] * 4)
    with pytest.raises(BrainFailed) as failed:
        await failing.retrying().reply(REQUEST)
    assert str(failed.value) == "After 4 tries: OpenAI is down."
    assert (failed.value.fault, failed.value.status, failed.value.retry_after) == (BrainFault.UNAVAILABLE, 500, 1)


async def test_each_try_is_bounded_by_its_limit_and_by_the_time_left() -> None:
    failing = Failing(failure(), failure(), takes=10)
    await failing.retrying().reply(REQUEST, seconds_left=65)
    assert failing.limits == [60, 54.5, 43.5]


async def test_no_wait_goes_past_the_time_left() -> None:
    failing = Failing(failure(retry_after=30), takes=10)
    with pytest.raises(BrainFailed) as failed:
        await failing.retrying().reply(REQUEST, seconds_left=40)
    assert str(failed.value) == (
        "OpenAI is down; there is no time to try again, which would be in 30 s with 30 s left."
    )
    assert failing.waits == []


async def test_a_wait_of_hours_is_not_waited() -> None:
    failing = Failing(failure(retry_after=7200))
    with pytest.raises(BrainFailed, match=r"^OpenAI is down; it asks to wait 7200 s before the next try\.$"):
        await failing.retrying(chance=0).reply(REQUEST)


@given(
    retry=st.integers(1, 50),
    chance=st.floats(0, 1),
    retry_after=st.none() | st.floats(-10, 1000, allow_nan=False),
)
def test_a_wait_is_never_shorter_than_asked_for_nor_longer_than_the_policy(
    retry: int, chance: float, retry_after: float | None
) -> None:
    policy = RetryPolicy(chance=lambda: chance)
    wait = policy.wait_before(retry, retry_after)
    if retry_after is None:
        assert 0.25 <= wait <= policy.longest_wait
    else:
        assert max(0.0, retry_after) <= wait <= max(0.0, retry_after) + policy.longest_wait / 4


@given(
    waits=st.lists(st.none() | st.floats(0, 20), min_size=1, max_size=5),
    left=st.floats(0, 60),
    takes=st.floats(0, 10),
)
async def test_the_clock_never_passes_the_time_left_by_waiting(
    waits: list[float | None], left: float, takes: float
) -> None:
    failing = Failing(*(failure(retry_after=wait) for wait in waits), takes=takes)
    with suppress(BrainFailed):
        await failing.retrying().reply(REQUEST, seconds_left=left)
    assert failing.now <= 100 + left + takes + 1e-6
