"""The signature of a webhook call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from standardwebhooks import Webhook

from greenroom.model.agent import Agent
from greenroom.model.errors import RunError
from greenroom.play.ports import RealCall
from greenroom.tools.webhook import message_id, signature_headers

CALL = RealCall("run_1", "call_1", Agent(name="Front desk", prompt="Help."), "book", "webhook", {}, {})


@pytest.mark.parametrize(
    ("secret", "key"),
    [
        ("whsec_c2VjcmV0LWtleQ==", b"secret-key"),
        ("whsec_c2VjcmV0LWtleQ", b"secret-key"),
        ("plain é!", "plain é!".encode()),
    ],
)
def test_the_standard_library_of_the_scheme_accepts_the_signature(secret: str, key: bytes) -> None:
    now = datetime.now(timezone(timedelta(hours=5, minutes=30)))
    headers = signature_headers(CALL, secret, '{"a": 1}', now)
    assert Webhook(key).verify('{"a": 1}', headers) == {"a": 1}


@pytest.mark.parametrize("secret", ["whsec_", "whsec_a", "whsec_é"])
def test_a_secret_that_cannot_be_used_is_named_but_not_shown(secret: str) -> None:
    with pytest.raises(RunError, match=r"`Front desk`.*tool_webhook\.secret") as error:
        signature_headers(CALL, secret, "{}", datetime.now(UTC))
    assert f"{secret}:" not in str(error.value)


def test_a_call_that_is_sent_again_is_the_same_message() -> None:
    assert message_id("run_1", "call_1") == message_id("run_1", "call_1")
    assert len({message_id("run_1", "call_1"), message_id("run_1", "call_2"), message_id("run_2", "call_1")}) == 3
