"""When a remote agent is asked again, and how long that takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.talks import StillClock

from greenroom.model.errors import RunError
from greenroom.outgoing.waiting import read_retry_after
from greenroom.play.ports import RemoteReply
from greenroom.remote.patience import AttemptFailed, Patience


class Agent:
    """Fails as it is told, then answers."""

    def __init__(self, clock: StillClock, *failures: AttemptFailed, takes: float = 0.0) -> None:
        self.clock = clock
        self.failures = list(failures)
        self.takes = takes
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> RemoteReply:
        self.seconds.append(seconds)
        self.clock.seconds += self.takes
        if self.failures:
            raise self.failures.pop(0)
        return RemoteReply("Here.")


def busy(retry_after: float | None = None) -> AttemptFailed:
    return AttemptFailed(RunError("It is busy."), may_pass=True, unheard=True, retry_after=retry_after)


def patient(clock: StillClock, chance: Callable[[], float] = lambda: 1.0) -> Patience:
    return Patience(sleep=clock.sleep, chance=chance, elapsed=clock.elapsed)


async def test_waits_grow_and_the_latency_is_that_of_the_last_attempt() -> None:
    clock = StillClock()
    agent = Agent(clock, busy(), busy(), busy(), takes=0.25)
    reply = await patient(clock).ask(agent, stateful=True, timeout_seconds=30, seconds_left=100)
    assert reply.latency_ms == 250
    assert clock.seconds == 4 * 0.25 + 0.5 + 1 + 2


async def test_each_attempt_has_its_time_limit_inside_what_is_left() -> None:
    clock = StillClock()
    agent = Agent(clock, busy(5.0), busy(5.0), takes=10.0)
    await patient(clock, lambda: 0.0).ask(agent, stateful=False, timeout_seconds=30, seconds_left=60)
    assert agent.seconds == [30, 30, 30]
    agent = Agent(clock, busy(5.0), busy(5.0), takes=10.0)
    await patient(clock, lambda: 0.0).ask(agent, stateful=False, timeout_seconds=30, seconds_left=45)
    assert agent.seconds == [30, 30, 15]


async def test_it_gives_up_after_three_retries() -> None:
    clock = StillClock()
    agent = Agent(clock, *[busy() for _ in range(9)])
    with pytest.raises(RunError, match=r"^After 4 tries: It is busy\.$"):
        await patient(clock).ask(agent, stateful=True, timeout_seconds=30, seconds_left=100)
    assert len(agent.seconds) == 4


async def test_it_does_not_wait_for_a_try_that_would_come_too_late() -> None:
    clock = StillClock()
    agent = Agent(clock, busy(120.0))
    with pytest.raises(
        RunError, match=r"^It is busy; there is no time to try again, which would be in 120 s with 60 s"
    ):
        await patient(clock, lambda: 0.0).ask(agent, stateful=False, timeout_seconds=30, seconds_left=60)
    assert clock.seconds == 0


@pytest.mark.parametrize(("may_pass", "unheard"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("stateful", [True, False])
async def test_who_keeps_the_talk_is_asked_again_only_if_it_surely_heard_nothing(
    stateful: bool, may_pass: bool, unheard: bool
) -> None:
    clock = StillClock()
    agent = Agent(clock, AttemptFailed(RunError("No."), may_pass=may_pass, unheard=unheard))
    if unheard if stateful else may_pass:
        reply = await patient(clock).ask(agent, stateful=stateful, timeout_seconds=30, seconds_left=60)
        assert reply.text == "Here."
        return
    with pytest.raises(RunError, match=r"^No\.$"):
        await patient(clock).ask(agent, stateful=stateful, timeout_seconds=30, seconds_left=60)
    assert len(agent.seconds) == 1


@given(st.integers(1, 50), st.floats(0, 1), st.none() | st.floats(0, 1000))
def test_a_wait_is_bounded_and_never_shorter_than_was_asked_for(
    retry: int, chance: float, retry_after: float | None
) -> None:
    wait = Patience(chance=lambda: chance).wait_before(retry, retry_after)
    assert wait >= (retry_after or 0)
    assert wait <= (retry_after or 0) + 8


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("2", 2.0), (" 30 ", 30.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("Thu, 01 Jan 1970 00:00:00", 0.0),
     ("soon", None), ("", None), (None, None), ("-5", None), ("1.5", None), ("²", None)],
)  # fmt: skip
def test_a_time_to_wait_is_read_as_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header) == seconds


def test_a_date_to_come_is_so_many_seconds_away() -> None:
    assert (read_retry_after("Fri, 31 Dec 9999 23:59:59 GMT") or 0) > 1_000_000
