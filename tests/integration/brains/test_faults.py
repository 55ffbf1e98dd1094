"""What goes wrong with providers, against a real HTTP server: asked again and answered, or one clear sentence."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from tests.support.model_server import Answer, Broken, Heard, ModelServer, RefusingFirst, Reply, Status
from tests.support.model_server_requests import KEYS, LABELS, MODELS, talk_request
from tests.support.model_server_types import Wire
from tests.support.model_server_wires import write

from greenroom.brains.connect import connect_brain
from greenroom.brains.retry import RetryPolicy
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.talk import Brain, UserSaid

PASSING: dict[str, tuple[Reply, BrainFault]] = {
    "429": (Status(429), BrainFault.RATE_LIMITED),
    "408": (Status(408), BrainFault.TIMEOUT),
    "409": (Status(409), BrainFault.UNAVAILABLE),
    "500": (Status(500), BrainFault.UNAVAILABLE),
    "503": (Status(503, "The model is overloaded."), BrainFault.UNAVAILABLE),
    "529": (Status(529), BrainFault.UNAVAILABLE),
    "reset in mid-body": (Broken("reset"), BrainFault.UNREACHABLE),
    "dropped connection": (Broken("drop"), BrainFault.UNREACHABLE),
    "malformed JSON": (Broken("malformed"), BrainFault.MALFORMED),
    "a web page": (Broken("html"), BrainFault.MALFORMED),
    "a JSON list": (Broken("not_an_object"), BrainFault.MALFORMED),
    "JSON null": (Broken("raw", body=b"null"), BrainFault.MALFORMED),
    "nothing": (Broken("raw"), BrainFault.MALFORMED),
    "a huge body": (Broken("huge"), BrainFault.MALFORMED),
    "a small body that unpacks to a huge one": (
        Broken("raw", body=gzip.compress(b" " * (64 * 1024 * 1024), 9), encoding="gzip"),
        BrainFault.MALFORMED,
    ),
    "a body packed as nobody asked": (Broken("raw", body=b"{}", encoding="br"), BrainFault.MALFORMED),
    "a body that says it is huge": (Broken("raw", body=b" " * (9 * 1024 * 1024)), BrainFault.MALFORMED),
}
FINAL: dict[int, tuple[BrainFault, str]] = {
    400: (BrainFault.REJECTED, "{label} rejected the request for {model} (400), in its words “Bad key ***”."),
    401: (BrainFault.UNAUTHORISED, "{label} refused the key for {model} (401): set {variable} to a valid key."),
    403: (
        BrainFault.FORBIDDEN,
        "{label} does not allow this key to use {model} (403): use a key with access to it, or another model.",
    ),
    404: (
        BrainFault.NOT_FOUND,
        "{label} has no model named {model} (404): correct `llm.model` or `llm.base_url`.",
    ),
}
VARIABLES: dict[Wire, str] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "google": "GOOGLE_API_KEY",
}


def assert_one_clear_sentence(failure: BrainFailed, wire: Wire) -> None:
    sentence = str(failure)
    assert LABELS[wire] in sentence
    assert MODELS[wire].partition(":")[2] in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    assert not any(key in sentence for key in KEYS.values())


@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("fault", list(PASSING))
async def test_a_fault_that_passes_is_survived(
    wire: Wire, fault: str, brain: Brain, server: ModelServer, waits: list[float]
) -> None:
    server.queue(*[PASSING[fault][0]] * 3, Answer(text="Here I am."))
    reply = await brain.reply(talk_request(MODELS[wire]))
    assert (reply.text, reply.requests, server.count) == ("Here I am.", 4, 4)
    assert len(waits) == 3
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1 <= waits[2] <= 2


@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("fault", list(PASSING))
async def test_a_fault_that_stays_is_one_clear_sentence(
    wire: Wire, fault: str, brain: Brain, server: ModelServer
) -> None:
    server.answer, expected = PASSING[fault]
    with pytest.raises(BrainFailed) as failed:
        await brain.reply(talk_request(MODELS[wire]))
    assert failed.value.fault is expected
    assert str(failed.value).startswith("After 4 tries: ")
    assert server.count == 4
    assert_one_clear_sentence(failed.value, wire)


@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("code", list(FINAL))
async def test_a_mistake_of_the_user_is_not_asked_again(
    wire: Wire, code: int, brain: Brain, server: ModelServer, waits: list[float]
) -> None:
    server.answer = Status(code, f"Bad key {KEYS[VARIABLES[wire]]}.")
    with pytest.raises(BrainFailed) as failed:
        await brain.reply(talk_request(MODELS[wire]))
    fault, sentence = FINAL[code]
    model = MODELS[wire].partition(":")[2]
    assert (failed.value.fault, failed.value.status) == (fault, code)
    assert str(failed.value) == sentence.format(label=LABELS[wire], model=model, variable=VARIABLES[wire])
    assert (server.count, waits) == (1, [])
    assert_one_clear_sentence(failed.value, wire)


@pytest.mark.parametrize("wire", list(MODELS))
async def test_bad_utf8_is_a_retry_or_replaced_and_never_a_crash(wire: Wire, brain: Brain, server: ModelServer) -> None:
    server.queue(Broken("bad_utf8"), Answer(text="Clean."))
    reply = await brain.reply(talk_request(MODELS[wire]))
    assert reply.text in ("Clean.", "L\ufffd\ufffdte, but here.")


@pytest.mark.parametrize("wire", list(MODELS))
async def test_right_json_under_a_wrong_content_type_is_read_or_asked_for_again(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    server.queue(Broken("text"), Answer(text="Late, but here."))
    reply = await brain.reply(talk_request(MODELS[wire]))
    assert reply.text == "Late, but here."


@pytest.mark.parametrize("wire", ["openai", "google"])
async def test_a_reply_without_a_choice_is_asked_for_again(wire: Wire, brain: Brain, server: ModelServer) -> None:
    server.queue(Broken("empty"), Answer(text="Here I am."))
    assert (await brain.reply(talk_request(MODELS[wire]))).text == "Here I am."
    server.answer = Broken("empty")
    with pytest.raises(BrainFailed, match="with no reply in it") as failed:
        await brain.reply(talk_request(MODELS[wire]))
    assert failed.value.fault is BrainFault.MALFORMED
    assert_one_clear_sentence(failed.value, wire)


async def test_anthropic_may_answer_with_nothing(brain: Brain, server: ModelServer) -> None:
    server.answer = Broken("empty")
    assert (await brain.reply(talk_request(MODELS["anthropic"]))).is_empty


@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("kind", ["hang", "slow"])
async def test_a_reply_that_does_not_come_is_given_up_in_time(
    wire: Wire, kind: str, environ: dict[str, str], server: ModelServer
) -> None:
    server.answer = Broken("hang") if kind == "hang" else Broken("slow")
    async with connect_brain(environ=environ, retry=RetryPolicy(retries=0, request_seconds=0.2)) as brain:
        with pytest.raises(BrainFailed, match=r"gave no reply for \S+ within 0\.2 s") as failed:
            await brain.reply(talk_request(MODELS[wire]))
    assert failed.value.fault is BrainFault.TIMEOUT
    assert_one_clear_sentence(failed.value, wire)


async def test_a_try_is_not_longer_than_the_time_left(brain: Brain, server: ModelServer) -> None:
    server.answer = Broken("hang")
    with pytest.raises(BrainFailed, match=r"within 0\.2 s: .*; there is no time to try again"):
        await brain.reply(talk_request(MODELS["openai"]), seconds_left=0.2)
    assert server.count == 1


@pytest.mark.parametrize("wire", list(MODELS))
async def test_retry_after_in_seconds_is_waited_for(
    wire: Wire, brain: Brain, server: ModelServer, waits: list[float]
) -> None:
    server.queue(Status(429, retry_after="7"))
    await brain.reply(talk_request(MODELS[wire]))
    assert 7 <= waits[0] <= 7.125


@pytest.mark.parametrize("wire", list(MODELS))
async def test_retry_after_as_a_date_is_waited_for(
    wire: Wire, brain: Brain, server: ModelServer, waits: list[float]
) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=100)
    server.queue(Status(503, retry_after=format_datetime(soon, usegmt=True)))
    await brain.reply(talk_request(MODELS[wire]))
    assert 50 < waits[0] < 101


async def test_nobody_waits_longer_than_there_is_time(brain: Brain, server: ModelServer, waits: list[float]) -> None:
    server.answer = Status(429, retry_after="60")
    with pytest.raises(BrainFailed) as failed:
        await brain.reply(talk_request(MODELS["openai"]), seconds_left=30)
    assert (server.count, waits) == (1, [])
    assert (failed.value.fault, failed.value.retry_after) == (BrainFault.RATE_LIMITED, 60)
    assert "there is no time to try again" in str(failed.value)
    assert_one_clear_sentence(failed.value, "openai")


async def test_a_used_up_quota_is_not_asked_again(brain: Brain, server: ModelServer) -> None:
    body = b'{"error": {"message": "You exceeded your quota.", "code": "insufficient_quota", "type": "x"}}'

    async def answer(_: object) -> Reply:
        return Broken("raw", body=body, status=429)

    server.answer = answer
    with pytest.raises(BrainFailed, match=r"quota for gpt-4\.1-mini is used up \(429\)"):
        await brain.reply(talk_request(MODELS["openai"]))
    assert server.count == 1


async def test_gemini_refuses_a_key_in_its_own_way(brain: Brain, server: ModelServer) -> None:
    body = (
        b'{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", '
        b'"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}}'
    )
    server.answer = Broken("raw", body=body, status=400)
    with pytest.raises(BrainFailed, match=r"Google refused the key for gemini-2\.5-flash") as failed:
        await brain.reply(talk_request(MODELS["google"]))
    assert failed.value.fault is BrainFault.UNAUTHORISED


async def test_gemini_blocks_a_prompt_and_it_is_a_refusal(brain: Brain, server: ModelServer) -> None:
    server.answer = Broken("raw", body=b'{"promptFeedback": {"blockReason": "SAFETY"}}')
    reply = await brain.reply(talk_request(MODELS["google"]))
    assert (reply.text, reply.finish) == ("", "refused")


async def test_openai_refuses_in_words_of_its_own(brain: Brain, server: ModelServer) -> None:
    server.answer = Answer(refusal="I cannot help with that.")
    reply = await brain.reply(talk_request(MODELS["openai"]))
    assert (reply.text, reply.finish) == ("I cannot help with that.", "refused")


@pytest.mark.parametrize("wire", list(MODELS))
async def test_a_server_that_is_not_there_is_named(wire: Wire, environ: dict[str, str], unused_tcp_port: int) -> None:
    nowhere = f"http://127.0.0.1:{unused_tcp_port}/v1?key=hidden"
    urls = {"OPENAI_BASE_URL": nowhere, "ANTHROPIC_BASE_URL": nowhere, "GOOGLE_GEMINI_BASE_URL": nowhere}
    async with connect_brain(environ={**environ, **urls}, retry=RetryPolicy(retries=0)) as brain:
        with pytest.raises(BrainFailed) as failed:
            await brain.reply(talk_request(MODELS[wire]))
    assert failed.value.fault is BrainFault.UNREACHABLE
    assert f"could not be reached at http://127.0.0.1:{unused_tcp_port}/v1" in str(failed.value)
    assert "hidden" not in str(failed.value)


async def test_thirty_requests_at_once_finish_when_half_are_turned_away(environ: dict[str, str]) -> None:
    chance = random.Random(7)

    async def answer(heard: Heard) -> Reply:
        return Answer(text=f"You said {heard.last.text}")

    async with ModelServer(RefusingFirst(Status(429, retry_after="0"), answer)) as server:
        addresses = {**environ, "OPENAI_BASE_URL": server.openai_url}
        policy = RetryPolicy(first_wait=0.001, chance=chance.random)
        async with connect_brain(environ=addresses, retry=policy) as brain:
            replies = await asyncio.gather(
                *(brain.reply(talk_request(MODELS["openai"], UserSaid(str(number)))) for number in range(30))
            )
    assert [reply.text for reply in replies] == [f"You said {number}" for number in range(30)]
    assert all(reply.requests == 2 for reply in replies)
    assert server.count == 60


async def test_500_requests_can_be_under_way_at_once(environ: dict[str, str]) -> None:
    async with (
        ModelServer(Broken("hang")) as server,
        connect_brain(environ={**environ, "OPENAI_BASE_URL": server.openai_url}) as brain,
    ):
        asked = [asyncio.create_task(brain.reply(talk_request(MODELS["openai"]))) for _ in range(500)]
        await server.arrived(500)
        server.release()
        replies = await asyncio.gather(*asked)
    assert {reply.text for reply in replies} == {"Late, but here."}


@pytest.mark.parametrize("wire", list(MODELS))
async def test_a_key_that_a_provider_repeats_reaches_no_log(
    wire: Wire, brain: Brain, server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    keys = [*KEYS.values(), "sk-of-somebody-else-0123456789"]
    server.queue(Status(401, f"Incorrect keys: {' and '.join(keys)}."))
    with caplog.at_level("DEBUG", logger="greenroom"), pytest.raises(BrainFailed):
        await brain.reply(talk_request(MODELS[wire]))
    assert "failed" in caplog.text
    assert [key for key in keys if key in caplog.text] == []


@pytest.mark.parametrize("wire", list(MODELS))
async def test_a_packed_reply_is_read(wire: Wire, brain: Brain, server: ModelServer) -> None:
    heard: list[Heard] = []

    def packed(request: Heard) -> Reply:
        heard.append(request)
        body = json.dumps(write(request, Answer(text="Packed, but here."), 1)).encode()
        return Broken("raw", body=gzip.compress(body), encoding="gzip")

    server.queue(packed)
    reply = await brain.reply(talk_request(MODELS[wire]))
    assert (reply.text, reply.requests) == ("Packed, but here.", 1)
    assert heard[0].headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("wire", list(MODELS))
async def test_a_small_body_that_unpacks_to_a_huge_one_is_not_unpacked(
    wire: Wire, environ: dict[str, str], server: ModelServer
) -> None:
    server.answer = Broken("raw", body=gzip.compress(b" " * (64 * 1024 * 1024), 9), encoding="gzip")
    async with connect_brain(environ=environ, retry=RetryPolicy(retries=0)) as brain:
        with pytest.raises(BrainFailed) as failed:
            await brain.reply(talk_request(MODELS[wire]))
    assert "more than 8 MiB" in str(failed.value)
