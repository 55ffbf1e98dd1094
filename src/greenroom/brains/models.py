"""Opens the models of every provider through pydantic-ai, and keeps them open. Imported lazily: it is heavy."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from greenroom.brains.accounts import LABELS, Account
from greenroom.brains.openai_client import open_client, send_as_given
from greenroom.brains.transport import open_guarded_client, open_http_client
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.outgoing.addresses import Guard

_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]{3,})`")
_NO_KEY = "no-key-needed"
_EXTRAS = frozenset({"groq", "mistral", "bedrock"})


class Models:
    """The models that have been asked so far, one a (provider, model, account), over one HTTP client."""

    def __init__(self, guard: Guard | None = None) -> None:
        self._guard = guard
        self._clients: dict[bool, httpx2.AsyncClient] = {}
        self._models: dict[Account, Model] = {}
        self._providers: dict[tuple[str, str | None, str | None], Provider[Any]] = {}

    def get(self, account: Account) -> Model:
        """The model, opened at the first use.

        Raises:
            BrainFailed: there is no such provider, or it is not installed or set up.
        """
        model = self._models.get(account)
        if model is None:
            model = self._models[account] = self._open(account)
        return model

    async def close(self) -> None:
        """Close every connection."""
        self._models.clear()
        self._providers.clear()
        while self._clients:
            await self._clients.popitem()[1].aclose()

    def _open(self, account: Account) -> Model:
        try:
            if account.base_url is not None:
                httpx2.URL(account.base_url)  # some libraries find out that it is none only when they ask
            opener = _OPENERS.get(account.provider)
            if opener is not None:
                return opener(account, self._provider(account))
            return infer_model(f"{account.provider}:{account.model}", lambda _: self._provider(account))
        except ImportError:
            raise _not_installed(account) from None
        except UserError as error:
            raise _not_set_up(account, error) from None
        except httpx2.InvalidURL:
            raise BrainFailed(
                f"The address of {account.label} for {account.model} is not a URL: write it like "
                "`http://localhost:8000/v1`.",
                fault=BrainFault.REJECTED,
            ) from None

    def _provider(self, account: Account) -> Provider[Any]:
        key = (account.provider, account.key, account.base_url)
        provider = self._providers.get(key)
        if provider is None:
            provider = self._providers[key] = self._open_provider(account)
        return provider

    def _open_provider(self, account: Account) -> Provider[Any]:
        http_client = self._client(account)
        try:
            provider_class = infer_provider_class(_PROVIDER_CLASSES.get(account.provider, account.provider))
        except ValueError:
            raise _no_such_provider(account) from None
        known = inspect.signature(provider_class.__init__).parameters
        if "openai_client" in known and account.provider in _OPENAI_SHAPED:
            return _open_openai_provider(account, http_client)
        given: dict[str, Any] = {"api_key": account.key, "http_client": http_client}
        if self._is_guarded(account) and "http_client" not in known:
            raise _cannot_be_guarded(account)
        if account.base_url is not None:
            given[_address_parameter(account, known)] = account.base_url
        provider = provider_class(**{name: value for name, value in given.items() if name in known and value})
        # Retries are ours, with one count and one budget of time; the SDKs that retry by themselves are told not to.
        if hasattr(provider.client, "max_retries"):
            provider.client.max_retries = 0
        if isinstance(provider.client, AsyncOpenAI):
            send_as_given(provider.client)
        return provider

    def _client(self, account: Account) -> httpx2.AsyncClient:
        is_guarded = self._is_guarded(account)
        client = self._clients.get(is_guarded)
        if client is None:
            guard = self._guard
            client = open_guarded_client(guard) if is_guarded and guard else open_http_client()
            self._clients[is_guarded] = client
        return client

    def _is_guarded(self, account: Account) -> bool:
        """Whether the account's address is one that somebody else than the operator gave."""
        is_bound = self._guard is not None and not self._guard.allow_private_networks
        return is_bound and not account.is_trusted and account.base_url is not None


_PROVIDER_CLASSES = {"openai-compatible": "openai"}
_OPENAI_SHAPED = frozenset({"openai", "openai-compatible", "ollama"})


_ADDRESS_PARAMETERS = ("base_url", "api_base", "azure_endpoint")


def _address_parameter(account: Account, known: Mapping[str, object]) -> str:
    for name in _ADDRESS_PARAMETERS:
        if name in known:
            return name
    raise BrainFailed(
        f"{account.label} has one address of its own for {account.model}: take `base_url` out.",
        fault=BrainFault.REJECTED,
    )


def _open_openai_provider(account: Account, http_client: httpx2.AsyncClient) -> Provider[Any]:
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = open_client(account.key or _NO_KEY, account.base_url, http_client)
    if account.provider == "ollama":
        return OllamaProvider(openai_client=client)
    if account.provider == "openai-compatible":
        return OpenAICompatibleProvider("openai-compatible", openai_client=client)
    return OpenAIProvider(openai_client=client)


def _open_openai(account: Account, provider: Provider[Any]) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel

    return OpenAIChatModel(account.model, provider=provider)


def _open_ollama(account: Account, provider: Provider[Any]) -> Model:
    from pydantic_ai.models.ollama import OllamaModel

    return OllamaModel(account.model, provider=provider)


_OPENERS: dict[str, Callable[[Account, Provider[Any]], Model]] = {
    "openai": _open_openai,
    "openai-compatible": _open_openai,
    "ollama": _open_ollama,
}


def _no_such_provider(account: Account) -> BrainFailed:
    near = difflib.get_close_matches(account.provider, LABELS, n=1)
    advice = (
        f"did you mean `{near[0]}:{account.model}`?"
        if near
        else "write the model as `openai:…`, `anthropic:…`, `google:…`, `ollama:…`, "
        "`openai-compatible:…` with `base_url`, or with another provider's name."
    )
    return BrainFailed(f"There is no provider named `{account.provider}`: {advice}", fault=BrainFault.UNKNOWN_MODEL)


def _cannot_be_guarded(account: Account) -> BrainFailed:
    return BrainFailed(
        f"{account.label} is only asked at its own address from here: take `base_url` of {account.model} out.",
        fault=BrainFault.REJECTED,
    )


def _not_installed(account: Account) -> BrainFailed:
    package = (
        f"greenroom[{account.provider}]" if account.provider in _EXTRAS else f"pydantic-ai-slim[{account.provider}]"
    )
    return BrainFailed(
        f"{account.label} needs a package that is not installed: `pip install '{package}'`.",
        fault=BrainFault.UNKNOWN_MODEL,
    )


def _not_set_up(account: Account, error: UserError) -> BrainFailed:
    variables = _VARIABLE.findall(str(error))
    if variables:
        return BrainFailed(
            f"{account.label} needs a key for {account.model}: set {variables[0]}, "
            "or name a credential in `llm.credential`.",
            fault=BrainFault.NO_CREDENTIAL,
        )
    reason = account.scrub(str(error)).partition("\n")[0].rstrip(".")
    return BrainFailed(
        f"{account.label} cannot be asked for {account.model}: {reason}.", fault=BrainFault.UNKNOWN_MODEL
    )
