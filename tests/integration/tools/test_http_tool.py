"""HTTP tools called for real."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest
from tests.support.webhook_receiver import Answer, WebhookReceiver

from greenroom.model.agent import Agent, HttpCall, Tool
from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.play.ports import RealCall, RealTools
from greenroom.tools.real import open_real_tools


@pytest.fixture
async def tools() -> AsyncGenerator[RealTools]:
    async with open_real_tools() as tools:
        yield tools


@pytest.fixture
async def service() -> AsyncGenerator[WebhookReceiver]:
    async with WebhookReceiver() as service:
        yield service


def call_of(arguments: dict[str, Json], variables: dict[str, str] | None = None, **http: Any) -> RealCall:
    agent = Agent(name="Shop", prompt="Help.", tools=[Tool(name="find", http=HttpCall.model_validate(http))])
    return RealCall("run_1", "call_1", agent, "find", "http", arguments, variables or {})


async def test_the_model_gets_status_and_answer(tools: RealTools, service: WebhookReceiver) -> None:
    service.answer = Answer({"orders": [1, 2]}, status=201)
    answer = await tools.call(call_of({"q": "tea"}, url=service.url, headers={"X-Shop": "{shop}"}, body={"q": "{q}"}))
    assert (answer.result, answer.ok) == ({"status": 201, "result": {"orders": [1, 2]}}, True)


async def test_the_request_is_the_tools_own_and_marked_as_a_test(tools: RealTools, service: WebhookReceiver) -> None:
    call = call_of(
        {"id": "a/b?c", "count": 3},
        {"token": "t-123456"},
        method="PUT",
        url=service.url + "/orders/{id}?dry={dry}",
        headers={"Authorization": "Bearer {{token}}", "x-greenroom-test": "false"},
        body={"count": "{count}"},
    )
    await tools.call(call)
    [request] = service.requests
    assert (request.method, request.path) == ("PUT", "/hook/orders/a%2Fb%3Fc")
    assert request.json == {"count": 3}
    assert request.headers["Authorization"] == "Bearer t-123456"
    assert [value for name, value in request.headers.items() if name.lower() == "x-greenroom-test"] == ["true"]
    assert request.headers["Content-Type"] == "application/json"


async def test_a_get_sends_its_arguments_in_the_query(tools: RealTools, service: WebhookReceiver) -> None:
    await tools.call(call_of({"q": "chai & tea", "n": 2}, method="GET", url=service.url))
    assert service.requests[0].path == "/hook?q=chai%20%26%20tea&n=2"
    assert service.requests[0].body == b""


@pytest.mark.parametrize(
    ("sent", "result"),
    [
        (Answer({"error": "no such order"}, status=404), {"status": 404, "result": {"error": "no such order"}}),
        (Answer(b"try later", status=503), {"status": 503, "result": "try later"}),
        (Answer(b"", status=302, headers={"Location": "/x"}), {"status": 302, "result": None}),
    ],
)
async def test_an_answer_that_is_no_success_is_given_to_the_model_too(
    tools: RealTools, service: WebhookReceiver, sent: Answer, result: Json
) -> None:
    service.answer = sent
    answer = await tools.call(call_of({}, url=service.url))
    assert (answer.result, answer.ok, answer.reason) == (result, False, "bad_status")
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("sent", "result"),
    [
        (Answer(b"plain words"), "plain words"),
        (Answer("größer".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"}), "größer"),
        (Answer(b"x\xff", headers={"Content-Type": "text/plain; charset=no-such-thing"}), "x�"),
        (Answer(b"\x00\x01"), "�\x01"),
        (Answer(b"", status=204), None),
        (Answer(b"12"), 12),
    ],
)
async def test_an_answer_is_json_where_it_is_json_and_else_text(
    tools: RealTools, service: WebhookReceiver, sent: Answer, result: Json
) -> None:
    service.answer = sent
    answer = await tools.call(call_of({}, url=service.url))
    assert (answer.result, answer.ok) == ({"status": sent.status, "result": result}, True)


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (Answer(b"x" * 70_000), "too_large"),
        (Answer(misbehave="reset"), "unreachable"),
        (Answer(misbehave="garbage"), "bad_body"),
        (Answer(misbehave="wait"), "timeout"),
    ],
)
async def test_each_failure_has_its_reason(
    tools: RealTools, service: WebhookReceiver, sent: Answer, reason: str
) -> None:
    service.answer = sent
    answer = await tools.call(replace(call_of({}, url=service.url), seconds=0.2))
    assert (answer.ok, answer.reason) == (False, reason)


async def test_a_value_that_cannot_stand_in_the_path_is_not_sent(tools: RealTools, service: WebhookReceiver) -> None:
    answer = await tools.call(call_of({"id": "../admin"}, url=service.url + "/{id}"))
    assert (answer.ok, answer.reason) == (False, "bad_arguments")
    assert service.requests == []


async def test_a_key_that_the_service_repeats_is_hidden(tools: RealTools, service: WebhookReceiver) -> None:
    service.answer = lambda request: Answer({"headers": dict(request.headers)})
    answer = await tools.call(call_of({}, url=service.url, headers={"X-Api-Key": "sk-very-secret", "X-Shop": "north"}))
    assert "sk-very-secret" not in repr(answer)
    assert "north" in repr(answer)


async def test_a_tool_that_is_not_there_stops_the_run_with_a_sentence(tools: RealTools) -> None:
    call = replace(call_of({}, url="http://x.test/"), tool="lose")
    with pytest.raises(RunError, match="`Shop` has no HTTP tool `lose`"):
        await tools.call(call)


@pytest.mark.parametrize("name", ["X Bad Name", "X-Bad\r\nX-Other", "", "X:"])
async def test_a_header_with_an_invalid_name_stops_the_run_with_a_sentence(
    tools: RealTools, service: WebhookReceiver, name: str
) -> None:
    with pytest.raises(RunError, match="`find` of the agent `Shop` has a header whose name is not valid"):
        await tools.call(call_of({}, url=service.url, headers={name: "x"}))
    assert service.requests == []
