"""What goes wrong with agents over HTTP, told in sentences, and what is tried again."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.remote_agents import Waits, ask, asked, remote_agent, sequence, talk_with
from tests.support.talks import make_test
from tests.support.webhook_receiver import Answer, Received, WebhookReceiver

from greenroom.model.errors import RunError

BROKEN: dict[str, tuple[Answer, dict[str, Any], str]] = {
    "not json": (Answer(b"<html>", headers={"Content-Type": "text/html"}), {}, "is not JSON (text/html)"),
    "bad utf-8": (Answer(b'{"reply": "\xff"}'), {}, "is not JSON"),
    "nothing": (Answer(b""), {}, "answered with nothing (status 200)"),
    "no content": (Answer(b"", status=204), {}, "answered with nothing (status 204)"),
    "other shape": (
        Answer({"output": "secret words", "id": 1}),
        {},
        "without words at `reply`; its answer is an object with `output`, `id`: set `remote.reply`",
    ),
    "deeper": (
        Answer({"data": {"text": "secret words"}}),
        {"reply": "data.message"},
        "its answer is an object with `data`, where `data` is an object with `text`",
    ),
    "a list": (Answer([1, 2]), {}, "its answer is a list of 2"),
    "no such index": (Answer({"a": []}), {"reply": "a.0"}, "where `a` is an empty list"),
    "no words": (Answer({"reply": {"x": 1}}), {}, "an object with `x` where its words should be"),
    "a boolean": (Answer({"reply": True}), {}, "true or false where its words should be"),
    "no session": (Answer({"reply": "x"}), {"session": "id"}, "without its session's id at `id`"),
    "calls": (Answer({"reply": "x", "c": [5]}), {"tool_calls": "c"}, "a number where a tool call should be"),
    "nameless": (Answer({"reply": "x", "c": [{"y": 5}]}), {"tool_calls": "c"}, "tool call without a name"),
    "status 400": (Answer({"error": "No such field."}, status=400), {}, "status 400 (Bad Request), in its words “No"),
    "status 401": (Answer({}, status=401), {}, "status 401 (Unauthorized): check its key"),
    "status 404": (Answer(b"nope", status=404), {}, "status 404 (Not Found): check `remote.url`"),
    "status 429": (Answer({}, status=429), {}, "After 4 tries: The remote agent Maya at"),
    "status 500": (Answer({"detail": {"message": "Boom."}}, status=500), {}, "status 500 (Internal Server Error), in"),
    "status 503": (Answer({}, status=503), {}, "status 503 (Service Unavailable): see its logs"),
    "status 599": (Answer({}, status=599), {}, "answered with status 599: see its logs"),
    "redirect": (
        Answer({}, status=302, headers={"Location": "https://other.example/path?key=k"}),
        {},
        "a redirect to https://other.example (status 302), which is not followed: set `remote.url`",
    ),
    "redirect home": (Answer({}, status=307, headers={"Location": "/b"}), {}, "a redirect to http://127.0.0.1:"),
    "redirect nowhere": (Answer({}, status=302), {}, "answered with a redirect (status 302)"),
    "too large": (Answer(b'"' + b"x" * 5_000_000 + b'"'), {}, "answer is larger than 4096 KiB"),
    "endless": (Answer(b"[", misbehave="endless"), {}, "answer is larger than 4096 KiB"),
    "reset": (Answer(misbehave="reset"), {}, "broke off before it answered: see its logs"),
    "broken": (Answer(misbehave="break"), {}, "broke off in the middle of its answer: see its logs"),
    "garbage": (Answer(misbehave="garbage"), {}, "answer is not valid HTTP"),
    "slow": (Answer(misbehave="wait"), {"timeout_seconds": 0.05}, "did not answer within 0.05 seconds: make it faster"),
    "stalled": (Answer(misbehave="stall"), {"timeout_seconds": 0.05}, "did not answer within 0.05 seconds"),
    "bad gzip": (Answer(b"no gzip", headers={"Content-Encoding": "gzip"}), {}, "could not be decompressed"),
}


@pytest.mark.parametrize("stateful", [True, False])
@pytest.mark.parametrize(("answer", "remote", "words"), BROKEN.values(), ids=BROKEN)
async def test_every_failure_is_a_sentence_that_names_agent_and_origin_and_no_secret(
    answer: Answer, remote: dict[str, Any], words: str, stateful: bool
) -> None:
    async with WebhookReceiver(answer) as server:
        secret = "tok-1234567890abcdef"
        headers = {"Authorization": f"Bearer {secret}"}
        url = f"{server.url}/private?key={secret}"
        agent = remote_agent({"type": "http", "url": url, "headers": headers, "stateful": stateful, **remote})
        with pytest.raises(RunError) as failure:
            await ask(agent, "Hi")
        said = str(failure.value)
        origin = server.url.removesuffix("/hook")
    assert words in said
    assert f"Maya at {origin}" in said
    assert "/private" not in said
    assert "secret words" not in said
    assert secret not in said
    assert said.endswith(".")
    assert "\n" not in said


async def test_a_server_that_repeats_a_secret_does_not_bring_it_into_the_sentence() -> None:
    def answer(received: Received) -> Answer:
        return Answer({"error": f"bad key {received.headers['X-Key']} or sk-abcdef123456"}, status=400)

    async with WebhookReceiver(answer) as server:
        headers = {"X-Key": "{{variables.key}}"}
        agent = remote_agent(
            {"type": "http", "url": server.url, "headers": headers}, variables={"key": "hush-hush-hush"}
        )
        with pytest.raises(RunError, match="bad key") as failure:
            await ask(agent, "Hi")
    assert "hush" not in str(failure.value)
    assert "sk-abc" not in str(failure.value)


async def test_secrets_are_in_no_repr() -> None:
    agent = remote_agent({"type": "http", "url": "https://a.example", "headers": {"X-Key": "hush-hush"}})
    assert "hush" not in repr(asked(agent, "Hi"))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:1/x", "could not be reached: the connection was not accepted; check `remote.url`"),
        ("http://nowhere.invalid/x", "could not be reached: its name could not be found; check `remote.url`"),
    ],
)
async def test_an_agent_that_is_not_there_is_told_after_some_tries(url: str, words: str) -> None:
    waits = Waits()
    with pytest.raises(RunError, match=r"After 4 tries") as failure:
        await ask(remote_agent({"type": "http", "url": url}), "Hi", patience=waits.patience)
    assert words in str(failure.value)
    assert waits.seconds == [0.25, 0.5, 1.0]


async def test_an_address_that_may_not_be_called_is_refused_without_a_try() -> None:
    async with WebhookReceiver() as server:
        with pytest.raises(RunError, match=r"The remote agent Maya at .* cannot be called: .*public internet"):
            await ask(remote_agent({"type": "http", "url": server.url}), "Hi", allow_private_networks=False)
    assert server.requests == []


RETRIED: dict[str, tuple[Answer, bool, bool]] = {
    "429": (Answer({}, status=429), True, True),
    "503 with a time": (Answer({}, status=503, headers={"Retry-After": "2"}), True, True),
    "503": (Answer({}, status=503), True, False),
    "500": (Answer({}, status=500), True, False),
    "reset": (Answer(misbehave="reset"), True, False),
    "broken": (Answer(misbehave="break"), True, False),
    "400": (Answer({}, status=400), False, False),
    "redirect": (Answer({}, status=302), False, False),
    "not json": (Answer(b"x"), False, False),
}


@pytest.mark.parametrize("stateful", [True, False])
@pytest.mark.parametrize(("answer", "stateless_too", "stateful_too"), RETRIED.values(), ids=RETRIED)
async def test_an_agent_that_keeps_the_talk_is_sent_nothing_twice_that_it_may_have_heard(
    answer: Answer, stateless_too: bool, stateful_too: bool, stateful: bool
) -> None:
    again = stateful_too if stateful else stateless_too
    async with WebhookReceiver(sequence([answer, Answer({"reply": "Here."})])) as server:
        agent = remote_agent({"type": "http", "url": server.url, "stateful": stateful})
        if again:
            assert (await ask(agent, "Hi")).text == "Here."
        else:
            with pytest.raises(RunError):
                await ask(agent, "Hi")
    assert len(server.requests) == (2 if again else 1)


@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
async def test_a_broken_connection_sends_nothing_twice_whatever_the_method(method: str) -> None:
    async with WebhookReceiver(Answer(misbehave="reset")) as server:
        with pytest.raises(RunError, match="broke off"):
            await ask(remote_agent({"type": "http", "url": server.url, "method": method}), "Hi")
    assert len(server.requests) == 1


async def test_a_time_to_wait_is_honoured_within_the_time_that_is_left() -> None:
    busy = Answer({}, status=429, headers={"Retry-After": "30"})
    waits = Waits()
    async with WebhookReceiver(sequence([busy, Answer({"reply": "Here."}), busy])) as server:
        agent = remote_agent({"type": "http", "url": server.url})
        assert (await ask(agent, "Hi", seconds_left=60, patience=waits.patience)).text == "Here."
        with pytest.raises(RunError, match="no time to try again, which would be in 30 s with"):
            await ask(agent, "Hi", seconds_left=20, patience=waits.patience)
    assert waits.seconds == [30.0]


async def test_a_reply_takes_no_longer_than_the_time_that_is_left() -> None:
    async with WebhookReceiver(Answer(misbehave="wait")) as server:
        with pytest.raises(RunError, match=r"did not answer within 0\.0"):
            await ask(remote_agent({"type": "http", "url": server.url}), "Hi", seconds_left=0.05)


async def test_a_failure_in_the_middle_of_a_talk_ends_the_run_as_an_error_with_the_words_so_far() -> None:
    async with WebhookReceiver(sequence([Answer({"reply": "Hello."}), Answer(b"oops", status=500)])) as server:
        played = await talk_with(remote_agent({"type": "http", "url": server.url}), make_test("Hi.", "A table."))
    assert (played.run.status, played.run.ended_by) == ("error", "error")
    assert played.said == [("caller", "Hi."), ("agent", "Hello."), ("caller", "A table.")]
    assert "status 500" in str(played.run.error)
