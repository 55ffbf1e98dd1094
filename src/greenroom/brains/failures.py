"""What went wrong with a provider, as one plain sentence. Imported lazily: it is heavy."""

from __future__ import annotations

from typing import Any, cast

import aiohttp
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    UserError,
)

from greenroom.brains.accounts import Account
from greenroom.brains.transport import MAX_BODY_BYTES, BodyTooLarge, UnaskedEncoding
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.text import shorten
from greenroom.outgoing.addresses import BlockedAddress

_SHOWN = 200


def explain(error: Exception, account: Account) -> BrainFailed:
    """The failure that `error` is, in a sentence that names provider, model and what to do, without any key."""
    if any(isinstance(cause, BodyTooLarge) for cause in _causes(error)):
        limit = MAX_BODY_BYTES // (1024 * 1024)
        return _malformed(account, f"more than {limit} MiB")
    if any(isinstance(cause, BlockedAddress) for cause in _causes(error)):
        return BrainFailed(
            f"{account.label} may not be called at {account.address} for {account.model}: only addresses on the public "
            "internet may be called from here.",
            fault=BrainFault.REJECTED,
        )
    if any(isinstance(cause, UnaskedEncoding) for cause in _causes(error)):
        return _malformed(account, "a packing that it was not asked for")
    if isinstance(error, ModelHTTPError):
        return _explain_status(error, account)
    if isinstance(error, ModelConnectionError):
        return _explain_connection(error, account)
    if isinstance(error, UserError):
        reason = _quoted(account, str(error).partition("\n")[0])
        return BrainFailed(
            f"{account.label} cannot answer this request for {account.model}: {reason}.", fault=BrainFault.REJECTED
        )
    return _malformed(account, _what_came(error))


def took_too_long(account: Account, seconds: float) -> BrainFailed:
    """No reply in time."""
    return BrainFailed(
        f"{account.label} gave no reply for {account.model} within {round(seconds, 1):g} s: "
        "try a faster model, or see whether the provider has trouble.",
        fault=BrainFault.TIMEOUT,
    )


def no_reply(account: Account) -> BrainFailed:
    """An answer without a choice."""
    return _malformed(account, "no reply in it")


def _explain_status(error: ModelHTTPError, account: Account) -> BrainFailed:
    fault, sentence = _verdict(error, account)
    return BrainFailed(sentence, fault=fault, status=error.status_code, retry_after=error.retry_after)


def _verdict(error: ModelHTTPError, account: Account) -> tuple[BrainFault, str]:
    label, model, status = account.label, account.model, error.status_code
    said = _provider_words(error, account)
    if isinstance(error, ModelQuotaExceededError):
        return BrainFault.REJECTED, f"{label} says that the account's quota for {model} is used up ({status}){said}."
    if status == 429:
        return BrainFault.RATE_LIMITED, (
            f"{label} limits how often {model} may be asked ({status}): wait a while or lower the concurrency."
        )
    if status == 403:
        return BrainFault.FORBIDDEN, (
            f"{label} does not allow this key to use {model} ({status}): use a key with access to it, or another model."
        )
    if isinstance(error, ModelAuthenticationError):
        return BrainFault.UNAUTHORISED, f"{label} refused the key for {model} ({status}): {account.key_advice}."
    if isinstance(error, ModelNotFoundError) or status == 404:
        where = " or `llm.base_url`" if account.base_url else ""
        return BrainFault.NOT_FOUND, f"{label} has no model named {model} ({status}): correct `llm.model`{where}."
    if isinstance(error, ModelContextWindowExceededError):
        return BrainFault.REJECTED, (
            f"The talk no longer fits into {model} of {label} ({status}): "
            "shorten the prompt or the knowledge, or use a model with a longer context."
        )
    if status == 408:
        return BrainFault.TIMEOUT, f"{label} gave up waiting for {model} ({status}): try again, or a faster model."
    if status in (409, 425) or status >= 500:
        return BrainFault.UNAVAILABLE, f"{label} has trouble answering for {model} ({status}){said}: try again later."
    return BrainFault.REJECTED, f"{label} rejected the request for {model} ({status}){said}."


def _explain_connection(error: ModelConnectionError, account: Account) -> BrainFailed:
    # The aiohttp transport reports a lost connection as a timeout; what it wraps says what it was.
    lost = any(isinstance(cause, aiohttp.ServerDisconnectedError | ConnectionResetError) for cause in _causes(error))
    if lost or error.phase == "read":
        return BrainFailed(
            f"{account.label} broke the connection before its reply for {account.model} was there: try again later.",
            fault=BrainFault.UNREACHABLE,
        )
    where = f" at {account.address}" if account.base_url else ""
    advice = "check `llm.base_url` and that it is running" if account.base_url else "check the connection"
    return BrainFailed(
        f"{account.label} could not be reached{where} for {account.model}: {advice}.", fault=BrainFault.UNREACHABLE
    )


def _malformed(account: Account, what: str) -> BrainFailed:
    advice = (
        "check that `llm.base_url` leads to a model API" if account.base_url else "see whether the provider has trouble"
    )
    return BrainFailed(
        f"{account.label} answered for {account.model} with {what}: {advice}.", fault=BrainFault.MALFORMED
    )


def _what_came(error: Exception) -> str:
    for cause in _causes(error):
        if isinstance(cause, UnicodeDecodeError):
            return "text that is not UTF-8"
        if isinstance(cause, IndexError):
            return "no reply in it"
    # The SDKs and pydantic-ai word it differently, and no type of theirs tells it from the rest.
    if any("JSON" in f"{type(cause).__name__} {cause}" for cause in _causes(error)):
        return "something that is not JSON"
    return "something that is not a reply"


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in causes:
        causes.append(current)
        current = current.__cause__ or current.__context__
    return causes


def _provider_words(error: ModelHTTPError, account: Account) -> str:
    message = _message(error.body)
    return f", in its words {_quoted(account, message)}" if message else ""


def _quoted(account: Account, message: str) -> str:
    return f"“{shorten(account.scrub(message), _SHOWN).rstrip('.')}”"


def _message(body: object) -> str:
    """The provider's own words: each puts them in a place of its own."""
    if not isinstance(body, dict):
        return ""
    fields = cast("dict[str, Any]", body)  # parsed JSON of a shape that nobody promises
    for name in ("error", "message", "detail"):
        value = fields.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            return _message(cast("object", value))
    return ""
