"""What a request on a platform credential costs the project."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from greenroom.brains.prices import Counted, cost_of
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm
from greenroom.model.talk import BrainRequest, Usage
from greenroom.server.credits.service import MILLION
from greenroom.server.settings import Settings

MOST_TOKENS = 4096
"""The longest reply that a platform credential pays for where the agent sets no `max_tokens`."""


class Price(BaseModel):
    """An operator's own price of a model: millionths of the currency's unit for a million tokens."""

    input: int = Field(ge=0)
    output: int = Field(ge=0)


@dataclass(frozen=True, slots=True)
class PriceList:
    """How cost becomes credits: `rate` is the currency's units for a US dollar, `markup` a share on top of it.
    `own` are the operator's prices by `provider:name`; they hold as they are, without a mark-up."""

    rate: Decimal = Decimal(1)
    markup: Decimal = Decimal(0)
    own: dict[str, Price] = field(default_factory=dict[str, Price])

    def in_currency(self, dollars: Decimal | None) -> int | None:
        """US dollars as millionths of the currency's unit; `None` where the cost is not known."""
        if dollars is None:
            return None
        return int((dollars * self.rate * MILLION).to_integral_value(ROUND_HALF_UP))

    def in_dollars(self, amount: int) -> Decimal:
        """Millionths of the currency's unit as US dollars, to 6 decimals."""
        return (Decimal(amount) / MILLION / self.rate).quantize(Decimal("0.000001"), ROUND_HALF_UP)

    def charge(self, llm: Llm, usage: Usage) -> int | None:
        """What one reply is charged; `None` where no price is known."""
        own = self.own.get(llm.model)
        if own is not None:
            return _of_tokens(own, usage.input_tokens, usage.output_tokens)
        return self._marked_up(usage.cost)

    def most(self, request: BrainRequest) -> int | None:
        """The most that a request may be charged; `None` where no price is known. A token is at least a byte."""
        llm = request.llm
        size = len(request.system.encode()) + sum(len(repr(message).encode()) for message in request.messages)
        size += sum(len(repr(tool).encode()) for tool in request.tools) + len(repr(request.answer).encode()) + 1000
        output = llm.max_tokens or MOST_TOKENS
        own = self.own.get(llm.model)
        if own is not None:
            return _of_tokens(own, size, output)
        counted = Counted(input_tokens=size, output_tokens=output)
        return self._marked_up(cost_of(llm.provider, (llm.name,), llm.base_url, counted))

    def _marked_up(self, dollars: Decimal | None) -> int | None:
        if dollars is None:
            return None
        return int((dollars * self.rate * (1 + self.markup) * MILLION).to_integral_value(ROUND_UP))


def _of_tokens(price: Price, input_tokens: int, output_tokens: int) -> int:
    exact = Decimal(input_tokens * price.input + output_tokens * price.output) / MILLION
    return int(exact.to_integral_value(ROUND_UP))


def price_list(settings: Settings) -> PriceList:
    """The prices as the settings have them.

    Raises:
        UserMistake: the operator's own prices cannot be read.
    """
    own: dict[str, Price] = {}
    if settings.platform_prices:
        try:
            own = TypeAdapter(dict[str, Price]).validate_json(settings.platform_prices)
        except ValidationError:
            raise UserMistake(
                "GREENROOM_PLATFORM_PRICES cannot be read: write it like "
                '{"openai:gpt-4.1-mini": {"input": 400000, "output": 1600000}}'
            ) from None
    return PriceList(settings.currency_rate, settings.platform_markup, own)
