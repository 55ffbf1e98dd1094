"""A model that is asked outside of a run, and paid as in one."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from greenroom.model.talk import Brain, BrainReply, BrainRequest
from greenroom.server.credits.service import CannotPay
from greenroom.server.runs.account import CannotBePaid, RunAccount


@dataclass(slots=True)
class PaidBrain:
    """Passes requests on when they can be paid, and counts what they use."""

    brain: Brain
    account: RunAccount
    input_tokens: int = 0
    output_tokens: int = 0
    known_dollars: Decimal = field(default_factory=Decimal)
    is_known: bool = True

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer one request.

        Raises:
            CannotPay: the credits do not reach for it.
            BrainFailed: the model could not answer.
        """
        try:
            reply = await self.account.put(self.brain, request, seconds_left)
        except CannotBePaid as problem:
            raise CannotPay(str(problem)) from None
        self.input_tokens += reply.usage.input_tokens
        self.output_tokens += reply.usage.output_tokens
        self.known_dollars += reply.usage.cost or Decimal(0)
        self.is_known &= reply.usage.cost is not None
        return reply
