"""An agent's action for real: one signed POST to the agent's webhook."""

from __future__ import annotations

import binascii
import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from greenroom.model.errors import RunError
from greenroom.outgoing.hiding import secret_forms
from greenroom.outgoing.http import ExchangeFailed, Outgoing
from greenroom.outgoing.json_text import read_json, write_json
from greenroom.play.ports import RealCall, ToolAnswer
from greenroom.tools.answers import failed, without_secrets

if TYPE_CHECKING:
    from standardwebhooks import Webhook


async def call_webhook(outgoing: Outgoing, call: RealCall) -> ToolAnswer:
    """Send the call to the agent's webhook, signed after the Standard Webhooks scheme, and give its answer.

    Raises:
        RunError: the agent has no webhook URL or no usable signing secret.
    """
    url, secret = _destination(call)
    body = write_json(
        {
            "test": True,
            "run_id": call.run_id,
            "agent_id": call.agent.id or call.agent.name,
            "tool": call.tool,
            "arguments": call.arguments,
            "variables": dict(call.variables),
        }
    )
    headers = {
        "Content-Type": "application/json",
        **signature_headers(call, secret, body, datetime.now(UTC)),
        call.test_header: "true",
    }
    try:
        reply = await outgoing.exchange(
            "POST",
            url,
            headers=headers,
            body=body.encode("ascii"),
            seconds=call.seconds,
            max_bytes=call.max_bytes,
            success_only=True,
        )
    except ExchangeFailed as error:
        return failed(error.reason, error.words, error.status)
    return without_secrets(replace(_read_answer(reply.body), status=reply.status), secret_forms([secret]))


def message_id(run_id: str, call_id: str) -> str:
    """The `webhook-id` of a call: the same each time the call is sent, so that the receiver can tell a resent one."""
    digest = hashlib.sha256(f"{run_id}\n{call_id}".encode("utf-8", errors="surrogatepass")).hexdigest()
    return f"msg_{digest[:32]}"


def signature_headers(call: RealCall, secret: str, body: str, now: datetime) -> dict[str, str]:
    """The Standard Webhooks headers of `body`, sent at `now` (with a time zone).

    Raises:
        RunError: the secret cannot be used.
    """
    identity = message_id(call.run_id, call.call_id)
    return {
        "webhook-id": identity,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": _signer(call, secret).sign(identity, now.astimezone(UTC), body),
    }


def _signer(call: RealCall, secret: str) -> Webhook:
    """A `whsec_…` secret is base64, as the scheme says; any other is taken as the bytes of its text."""
    from standardwebhooks import Webhook
    from standardwebhooks.webhooks import EmptyWebhookSecretError

    try:
        return Webhook(secret if secret.startswith("whsec_") else secret.encode())
    except (binascii.Error, ValueError, EmptyWebhookSecretError):
        raise RunError(
            f"The webhook of the agent `{call.agent.name}` has a signing secret that is not base64 after `whsec_`: "
            "copy it again into `tool_webhook.secret`."
        ) from None


def _destination(call: RealCall) -> tuple[str, str]:
    webhook = call.agent.tool_webhook
    url = (webhook.url or "").strip() if webhook else ""
    secret = webhook.secret.get_secret_value().strip() if webhook and webhook.secret else ""
    missing = " and ".join([*([] if url else ["`tool_webhook.url`"]), *([] if secret else ["`tool_webhook.secret`"])])
    if missing:
        raise RunError(
            f"The agent `{call.agent.name}` cannot call `{call.tool}` for real: set {missing}, "
            "or run the test with canned answers."
        )
    return url, secret


def _read_answer(body: bytes) -> ToolAnswer:
    if not body.strip():
        return ToolAnswer({"ok": True})
    try:
        return ToolAnswer(read_json(body))
    except ValueError:
        return failed("bad_body", "The service's answer is not JSON.")
