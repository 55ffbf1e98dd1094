"""What a run on platform credentials is charged, request by request, and never more than is held for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from greenroom.model.errors import RunError
from greenroom.model.talk import Brain, BrainReply, BrainRequest
from greenroom.server.credits import service as credits
from greenroom.server.credits.prices import MOST_TOKENS, PriceList
from greenroom.server.database.engine import Database


class CannotBePaid(RunError):
    """A request that the credits do not reach for, or that has no price."""


@dataclass(slots=True)
class RunAccount:
    """The account of one run. `platform` names the credentials that the operator pays for; `counts` is whether the
    policy charges by the token at all. With `in_part`, requests are put as long as there are credits at all: what these
    do not cover is not charged in the end."""

    database: Database
    prices: PriceList
    run_id: str
    platform: frozenset[str]
    counts: bool
    in_part: bool = False
    charged: int = 0
    _open: dict[int, int] = field(default_factory=dict[int, int])
    _is_covered: bool = False

    def is_charged(self, request: BrainRequest) -> bool:
        return self.counts and request.llm.credential is not None and request.llm.credential in self.platform

    async def allow(self, request: BrainRequest) -> BrainRequest:
        """Make sure that a request can be paid, whatever it comes to; the request, with its reply bounded.

        Raises:
            CannotBePaid: it cannot.
        """
        if not self.is_charged(request):
            return request
        asked = id(request)
        if request.llm.max_tokens is None:
            request = replace(request, llm=request.llm.model_copy(update={"max_tokens": MOST_TOKENS}))
        most = self.prices.most(request)
        if most is None:
            raise CannotBePaid(
                f"No price is known for {request.llm.model}, so it cannot be paid with credits: use a credential of "
                "the project's own, or ask the operator to set a price."
            )
        if self.in_part and self._is_covered:
            return request
        needed = self.charged + sum(self._open.values()) + most
        async with self.database.writing() as session:
            reaches = await credits.adjust_hold(session, self.run_id, needed, in_part=self.in_part)
        if not reaches:
            raise CannotBePaid("The project's credits have run out: add some, or use a credential of your own.")
        self._is_covered = True
        self._open[asked] = most
        return request

    async def put(self, brain: Brain, request: BrainRequest, seconds_left: float | None) -> BrainReply:
        """Put a request to a brain when it can be paid, and count what it comes to.

        Raises:
            CannotBePaid: it cannot.
            BrainFailed: the model could not answer.
        """
        allowed = await self.allow(request)
        try:
            reply = await brain.reply(allowed, seconds_left=seconds_left)
        except BaseException:
            self.answered(request, None)
            raise
        self.answered(request, reply)
        return reply

    def answered(self, request: BrainRequest, reply: BrainReply | None) -> None:
        """A request was answered, now or in an earlier playing; `None` where it failed."""
        self._open.pop(id(request), None)
        if reply is not None and self.is_charged(request):
            self.charged += self.prices.charge(request.llm, reply.usage) or 0
