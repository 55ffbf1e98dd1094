"""Asks again when a provider fails for a while: how often, how long in between, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace

from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.talk import Brain, BrainReply, BrainRequest
from greenroom.outgoing.waiting import Waiting

_PASSING = frozenset(
    {
        BrainFault.RATE_LIMITED,
        BrainFault.UNAVAILABLE,
        BrainFault.TIMEOUT,
        BrainFault.UNREACHABLE,
        BrainFault.MALFORMED,
    }
)


@dataclass(frozen=True, slots=True)
class RetryPolicy(Waiting):
    """How a failing model is asked again. A `Retry-After` of over `longest_retry_after` seconds means that the model
    has failed. `request_seconds` bounds each try."""

    longest_retry_after: float = 300.0
    request_seconds: float = 60.0


class RetryingBrain:
    """A brain that asks another again when it fails for a reason that may pass: rate limits, 408, 409, 5xx, broken
    connections, timeouts and replies that cannot be read."""

    def __init__(self, brain: Brain, policy: RetryPolicy) -> None:
        self._brain = brain
        self._policy = policy

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer one request, with retries that end before `seconds_left` do.

        Raises:
            BrainFailed: the model failed for good, or too often, or there is no time for another try.
        """
        policy = self._policy
        deadline = None if seconds_left is None else policy.elapsed() + seconds_left
        tried = 0
        while True:
            left = None if deadline is None else max(0.0, deadline - policy.elapsed())
            tried += 1
            try:
                reply = await self._brain.reply(request, seconds_left=_shorter(policy.request_seconds, left))
            except BrainFailed as failure:
                if failure.fault not in _PASSING:
                    raise
                if tried > policy.retries:
                    raise _after(tried, failure) from None
                wait = policy.wait_before(tried, failure.retry_after)
                left = None if deadline is None else max(0.0, deadline - policy.elapsed())
                if left is not None and wait >= left:
                    raise _out_of_time(failure, wait, left) from None
                if wait > policy.longest_retry_after:
                    raise _too_long(failure, wait) from None
            else:
                return reply if tried == 1 else replace(reply, requests=reply.requests + tried - 1)
            await policy.sleep(wait)


def _shorter(limit: float, left: float | None) -> float:
    return limit if left is None else min(limit, left)


def _after(tried: int, failure: BrainFailed) -> BrainFailed:
    return failure if tried == 1 else _reworded(failure, f"After {tried} tries: {failure}")


def _out_of_time(failure: BrainFailed, wait: float, left: float) -> BrainFailed:
    sentence = str(failure).rstrip(".")
    return _reworded(
        failure, f"{sentence}; there is no time to try again, which would be in {wait:.0f} s with {left:.0f} s left."
    )


def _too_long(failure: BrainFailed, wait: float) -> BrainFailed:
    return _reworded(failure, f"{str(failure).rstrip('.')}; it asks to wait {wait:.0f} s before the next try.")


def _reworded(failure: BrainFailed, message: str) -> BrainFailed:
    return BrainFailed(message, fault=failure.fault, status=failure.status, retry_after=failure.retry_after)
