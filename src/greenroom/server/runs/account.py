"""What a run on platform credentials is charged, request by request, and never more than is held for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from greenroom.model.errors import RunError
from greenroom.model.talk import BrainReply, BrainRequest
from greenroom.server.credits import service as credits
from greenroom.server.credits.prices import MOST_TOKENS, PriceList
from greenroom.server.database.engine import Database


@dataclass(slots=True)
class RunAccount:
    """The account of one run. `platform` names the credentials that the operator pays for; `counts` is whether the
    policy charges by the token at all."""

    database: Database
    prices: PriceList
    run_id: str
    platform: frozenset[str]
    counts: bool
    charged: int = 0
    _open: dict[int, int] = field(default_factory=dict[int, int])

    def is_charged(self, request: BrainRequest) -> bool:
        return self.counts and request.llm.credential is not None and request.llm.credential in self.platform

    async def allow(self, request: BrainRequest) -> BrainRequest:
        """Make sure that a request can be paid, whatever it comes to; the request, with its reply bounded.

        Raises:
            RunError: it cannot.
        """
        if not self.is_charged(request):
            return request
        asked = id(request)
        if request.llm.max_tokens is None:
            request = replace(request, llm=request.llm.model_copy(update={"max_tokens": MOST_TOKENS}))
        most = self.prices.most(request)
        if most is None:
            raise RunError(
                f"No price is known for {request.llm.model}, so it cannot be paid with credits: use a credential of "
                "the project's own, or ask the operator to set a price."
            )
        needed = self.charged + sum(self._open.values()) + most
        async with self.database.writing() as session:
            reaches = await credits.adjust_hold(session, self.run_id, needed)
        if not reaches:
            raise RunError("The project's credits have run out: add some, or use a credential of your own.")
        self._open[asked] = most
        return request

    def answered(self, request: BrainRequest, reply: BrainReply | None) -> None:
        """A request was answered, now or in an earlier playing; `None` where it failed."""
        self._open.pop(id(request), None)
        if reply is not None and self.is_charged(request):
            self.charged += self.prices.charge(request.llm, reply.usage) or 0
