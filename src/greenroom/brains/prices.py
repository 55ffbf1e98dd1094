"""What a request cost, by the price tables of genai-prices. Nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from urllib.parse import urlsplit

_FREE = frozenset({"scripted", "ollama"})
_PRICED_BY_ADDRESS = frozenset({"openai-compatible"})
_PRICE_IDS = {"google-cloud": "google", "bedrock": "aws"}
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - compared, never bound


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens that a price is asked for; the inputs include the cached ones, read and written."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


def cost_of(provider: str, models: tuple[str, ...], base_url: str | None, counted: Counted) -> Decimal | None:
    """The cost in US dollars; `None` where the price is not known, never a guess.

    `models` are the names to look for, the best first: the one that was asked for, and the one that answered.
    """
    if provider in _FREE:
        return Decimal(0)
    for model in models:
        if _is_known(provider, model, base_url):
            return _price(provider, model, base_url, counted)
    return None


@lru_cache(maxsize=1024)
def _is_known(provider: str, model: str, base_url: str | None) -> bool:
    return _price(provider, model, base_url, Counted(input_tokens=1, output_tokens=1)) is not None


def _price(provider: str, model: str, base_url: str | None, counted: Counted) -> Decimal | None:
    from genai_prices import Usage, calc_price

    usage = Usage(
        input_tokens=counted.input_tokens,
        output_tokens=counted.output_tokens,
        cache_read_tokens=counted.cache_read_tokens or None,
        cache_write_tokens=counted.cache_write_tokens or None,
    )
    try:
        if provider in _PRICED_BY_ADDRESS:
            if base_url is None or urlsplit(base_url).hostname in _LOCAL_HOSTS:
                return None
            return calc_price(usage, model, provider_api_url=base_url).total_price
        return calc_price(usage, model, provider_id=_PRICE_IDS.get(provider, provider)).total_price
    except (LookupError, ValueError):
        return None
