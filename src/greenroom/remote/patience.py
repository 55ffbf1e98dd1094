"""Asking a remote agent again when it fails for a while, where that cannot put the caller's words in twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from greenroom.model.errors import RunError
from greenroom.outgoing.waiting import Waiting
from greenroom.play.ports import RemoteReply


class AttemptFailed(Exception):
    """One attempt failed. `error` is what it means for the run.

    `may_pass`: the same may go well in a moment. `unheard`: the agent has surely not taken the message in, so that it
    may be sent again even where it keeps the talk itself. `retry_after`: seconds that it asked to wait.
    """

    def __init__(
        self, error: RunError, *, may_pass: bool = False, unheard: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.may_pass = may_pass
        self.unheard = unheard
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Patience(Waiting):
    """How a failing remote agent is asked again. A `Retry-After` for which no time is left ends the run at once."""

    async def ask(
        self,
        attempt: Callable[[float], Awaitable[RemoteReply]],
        *,
        stateful: bool,
        timeout_seconds: float,
        seconds_left: float,
    ) -> RemoteReply:
        """Attempt to get a reply, again where that may help. Each attempt is told how many seconds it may take.

        The reply's `latency_ms` is the time of the attempt that succeeded.

        Raises:
            RunError: the agent failed for good, or too often, or there is no time for another try.
        """
        deadline = self.elapsed() + seconds_left
        tried = 0
        while True:
            tried += 1
            began = self.elapsed()
            try:
                reply = await attempt(max(0.0, min(timeout_seconds, deadline - began)))
            except AttemptFailed as failed:
                if not (failed.unheard if stateful else failed.may_pass):
                    raise failed.error from None
                if tried > self.retries:
                    raise RunError(f"After {tried} tries: {failed.error}") from None
                wait = self.wait_before(tried, failed.retry_after)
                left = max(0.0, deadline - self.elapsed())
                if wait >= left:
                    said = str(failed.error).rstrip(".")
                    raise RunError(
                        f"{said}; there is no time to try again, which would be in {wait:.0f} s with {left:.0f} s left."
                    ) from None
            else:
                return replace(reply, latency_ms=round((self.elapsed() - began) * 1000))
            await self.sleep(wait)
