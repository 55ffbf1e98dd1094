"""A brain over the models of every provider: one request in, one reply out. Imported lazily: it is heavy."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import InstructionPart, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from greenroom.brains import failures, messages
from greenroom.brains.accounts import Account, Bounds, find_account
from greenroom.brains.models import Models
from greenroom.brains.prices import Counted, cost_of
from greenroom.brains.tokens import estimate_usage
from greenroom.brains.transport import BodyTooLarge, UnaskedEncoding
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Credential, Llm
from greenroom.model.talk import BrainReply, BrainRequest, ToolOffer, Usage
from greenroom.outgoing.addresses import BlockedAddress

_log = logging.getLogger(__name__)

AnswerMode = Literal["native", "tool", "prompted"]
_EXPLICIT_CACHES = frozenset({"anthropic", "bedrock", "openrouter"})
_MARK_ERRORS = frozenset({"anthropic", "bedrock"})
# Their SDKs fail on text that is not Unicode, so that it need not be looked for before.
_FIND_BAD_TEXT = frozenset({"openai", "openai-compatible", "ollama", "anthropic"})
_ANTHROPIC_MAX_TOKENS = 8192
_DEFAULT_SECONDS = 60.0
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)
# What pydantic-ai and the SDKs raise, or stumble over, when a provider sends what is no reply.
_PROVIDER_ERRORS = (
    AgentRunError, UserError, ValidationError, BodyTooLarge, UnaskedEncoding, LookupError, TypeError, AttributeError,
    ValueError, OSError, BlockedAddress,
)  # fmt: skip


class ProviderBrain:
    """Asks each provider in its own wire format. It makes one try: whoever wraps it decides on more."""

    def __init__(
        self, credentials: Mapping[str, Credential], environ: Mapping[str, str] | None, bounds: Bounds | None = None
    ) -> None:
        self._credentials = credentials
        self._environ = environ
        self._bounds = bounds
        self._models = Models(bounds.guard if bounds else None)
        self._accounts: dict[tuple[str, str | None, str | None], Account] = {}
        self._tools: dict[int, tuple[tuple[ToolOffer, ...], list[ToolDefinition]]] = {}
        self._without_native: set[Account] = set()

    async def close(self) -> None:
        """Close every connection."""
        await self._models.close()

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer one request, within `seconds_left` (60 s by default).

        Raises:
            BrainFailed: the model could not answer; one sentence, without secrets.
        """
        account = self._account(request.llm)
        if account.provider not in _FIND_BAD_TEXT and not messages.can_be_sent(request):
            request = messages.without_unspeakable(request)
        model = self._models.get(account)
        mode = None if request.answer is None else self._answer_mode(account, model)
        try:
            return await self._ask(request, account, model, mode, seconds_left)
        except BrainFailed as failure:
            if mode != "native" or not _refuses_schemas(failure):
                raise
            # Many servers speak OpenAI's dialect without its schemas: those are asked for JSON in words, from now on.
            self._without_native.add(account)
        reply = await self._ask(request, account, model, "prompted", seconds_left)
        return replace(reply, requests=reply.requests + 1)

    async def _ask(
        self, request: BrainRequest, account: Account, model: Model, mode: AnswerMode | None, seconds: float | None
    ) -> BrainReply:
        limit = _DEFAULT_SECONDS if seconds is None else seconds
        settings = _settings(request, account, model, mode)
        talk = messages.to_messages(request, marks_errors=account.provider in _MARK_ERRORS)
        parameters = self._parameters(request, mode)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(limit):
                response = await model.request(talk, settings, parameters)
        except TimeoutError:
            raise failures.took_too_long(account, limit) from None
        except UnicodeEncodeError:
            # What no provider can be sent is replaced; looking for it in every request would cost more than this.
            return await self._ask(messages.without_unspeakable(request), account, model, mode, seconds)
        except _PROVIDER_ERRORS as error:
            if _log.isEnabledFor(logging.DEBUG):
                # Providers repeat keys in what they answer: the traceback is kept, and no key in it.
                told = account.scrub("".join(traceback.format_exception(error)))
                _log.debug("A request to %s failed\n%s", account.provider, told)
            raise failures.explain(error, account) from None
        latency_ms = round((time.perf_counter() - started) * 1000)
        return _read(request, account, response, latency_ms)

    def _account(self, llm: Llm) -> Account:
        key = (llm.model, llm.base_url, llm.credential)
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = find_account(llm, self._credentials, self._environ, self._bounds)
        return account

    def _answer_mode(self, account: Account, model: Model) -> AnswerMode:
        profile = model.profile
        if profile.get("supports_json_schema_output", False) and account not in self._without_native:
            return "native"
        if profile.get("supports_tools", True) and account not in self._without_native:
            return "tool"
        return "prompted"

    def _parameters(self, request: BrainRequest, mode: AnswerMode | None) -> ModelRequestParameters:
        parameters = ModelRequestParameters(function_tools=self._definitions(request.tools))
        if request.system:
            parameters.instruction_parts = [InstructionPart(request.system)]
        if request.answer is None:
            return parameters
        schema: dict[str, Any] = request.answer.schema
        if mode == "tool":
            parameters.output_mode = "tool"
            parameters.allow_text_output = False
            parameters.output_tools = [
                ToolDefinition(
                    name=request.answer.name,
                    parameters_json_schema=schema,
                    description="Gives the answer.",
                    kind="output",
                )
            ]
        else:
            parameters.output_mode = "prompted" if mode == "prompted" else "native"
            parameters.output_object = OutputObjectDefinition(schema, request.answer.name)
        return parameters

    def _definitions(self, offers: tuple[ToolOffer, ...]) -> list[ToolDefinition]:
        if not offers:
            return []
        # The engine hands in the same tuple with each request of a talk; holding on to it keeps its id its own.
        known = self._tools.get(id(offers))
        if known is not None and known[0] is offers:
            return known[1]
        definitions = [
            ToolDefinition(
                name=offer.name,
                parameters_json_schema=dict[str, Any](offer.parameters),
                description=offer.description,
                # An agent is tested with the tools that it has: nobody promised it strict arguments.
                strict=False,
            )
            for offer in offers
        ]
        if len(self._tools) > 1000:
            self._tools.clear()
        self._tools[id(offers)] = (offers, definitions)
        return definitions


def _settings(request: BrainRequest, account: Account, model: Model, mode: AnswerMode | None) -> ModelSettings:
    llm = request.llm
    settings = ModelSettings()
    if llm.temperature is not None and _takes_temperature(model):
        settings["temperature"] = llm.temperature
    if llm.max_tokens is not None:
        settings["max_tokens"] = llm.max_tokens
    elif account.provider == "anthropic":
        # Anthropic wants a limit, and the model's own maximum would have the reply streamed.
        settings["max_tokens"] = _ANTHROPIC_MAX_TOKENS
    if request.tools and request.tool_choice == "none" and mode != "tool":
        settings["tool_choice"] = "none"
    if request.role != "judge" and account.provider in _EXPLICIT_CACHES:
        # A talk is sent again with each turn; a judge asks once, and writing the cache would only cost.
        settings["cache"] = True
    return settings


def _takes_temperature(model: Model) -> bool:
    """Whether the model takes a temperature: models that think while they answer refuse one."""
    profile: Mapping[str, object] = model.profile
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    efforts = profile.get("openai_reasoning_efforts")
    may_rest = "none" in efforts if isinstance(efforts, tuple | list | set | frozenset) else False
    may_rest = may_rest or bool(efforts is None and profile.get("openai_supports_reasoning_effort_none"))
    return may_rest and not profile.get("thinking_enabled_by_default")


def _refuses_schemas(failure: BrainFailed) -> bool:
    words = str(failure).lower()
    return failure.fault is BrainFault.REJECTED and any(
        word in words for word in ("response_format", "json_schema", "schema", "output_config", "structured")
    )


def _read(request: BrainRequest, account: Account, response: ModelResponse, latency_ms: int) -> BrainReply:
    details = response.provider_details or {}
    refused = response.finish_reason == "content_filter"
    messages.settle_ids(response, len(request.messages))
    text, calls = messages.text_of(response), messages.calls_of(response)
    if request.answer is not None and calls:
        given = next((call for call in calls if call.name == request.answer.name), None)
        if given is not None:
            text, calls = given.arguments, ()
    if request.answer is not None:
        text = _unfenced(text)
    if refused and not text:
        text = str(details.get("refusal") or "")
    if not refused and not response.parts and response.finish_reason is None:
        raise failures.no_reply(account)
    reply = BrainReply(
        text=text,
        calls=calls,
        finish="refused" if refused else "cut" if response.finish_reason == "length" else "stop",
        latency_ms=latency_ms,
        provider_state=messages.state_of(response),
        warnings=(f"{account.label} stopped a reply of {account.model} by its content filter.",) if refused else (),
    )
    return replace(reply, usage=_usage(request, account, response, reply))


def _unfenced(text: str) -> str:
    """JSON without the Markdown fence that models like to put around it."""
    found = _FENCED.fullmatch(text)
    return found[1] if found else text


def _usage(request: BrainRequest, account: Account, response: ModelResponse, reply: BrainReply) -> Usage:
    told = response.usage
    names = tuple(name for name in (account.model, response.model_name) if name)
    reasoning = told.details.get("reasoning_tokens", 0) or told.details.get("thoughts_tokens", 0)
    if told.input_tokens or told.output_tokens:
        counted = Counted(told.input_tokens, told.output_tokens, told.cache_read_tokens, told.cache_write_tokens)
        return Usage(
            input_tokens=told.input_tokens,
            output_tokens=told.output_tokens,
            cached_input_tokens=told.cache_read_tokens,
            reasoning_tokens=reasoning,
            cost=cost_of(account.provider, names, account.base_url, counted),
        )
    guessed = estimate_usage(request, reply)
    counted = Counted(guessed.input_tokens, guessed.output_tokens)
    return replace(guessed, cost=cost_of(account.provider, names, account.base_url, counted))
