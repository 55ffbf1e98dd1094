"""Which account a model is asked with, and what is said when there is none."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr
from tests.support.model_server import Answer, Call, Heard, ModelServer, Reply, Status
from tests.support.model_server_requests import BOOK, MODELS, talk_request, verdict_request
from tests.support.model_server_types import Wire

from greenroom.brains.connect import connect_brain
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Credential, Llm
from greenroom.model.talk import Brain


def keys_sent(heard: Heard) -> list[str]:
    names = ("authorization", "x-api-key", "x-goog-api-key")
    return [value.removeprefix("Bearer ") for name, value in heard.headers.items() if name.lower() in names]


@pytest.mark.parametrize("wire", list(MODELS))
async def test_a_named_credential_brings_its_key_and_its_address(wire: Wire) -> None:
    async with ModelServer() as server:
        credential = Credential(api_key=SecretStr("the-named-key"), base_url=server.base_url(wire))
        async with connect_brain(credentials={"main": credential}, environ={}) as brain:
            await brain.reply(talk_request(Llm(model=MODELS[wire], credential="main")))
        assert keys_sent(server.requests[0]) == ["the-named-key"]


@pytest.mark.parametrize("wire", list(MODELS))
async def test_the_environment_brings_the_key_where_none_is_named(
    wire: Wire, brain: Brain, server: ModelServer, environ: dict[str, str]
) -> None:
    await brain.reply(talk_request(MODELS[wire]))
    assert keys_sent(server.requests[0]) == [environ[f"{wire.upper()}_API_KEY"]]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("openai:gpt-x", "OpenAI needs a key for gpt-x: set OPENAI_API_KEY, or name a credential in `llm.credential`."),
        (
            "anthropic:c",
            "Anthropic needs a key for c: set ANTHROPIC_API_KEY, or name a credential in `llm.credential`.",
        ),
        ("google:g", "Google needs a key for g: set GOOGLE_API_KEY, or name a credential in `llm.credential`."),
        ("gemini:g", "Google needs a key for g: set GOOGLE_API_KEY, or name a credential in `llm.credential`."),
    ],
)
async def test_a_missing_key_names_the_variable_to_set(model: str, sentence: str) -> None:
    async with connect_brain(environ={}) as brain:
        with pytest.raises(BrainFailed) as failed:
            await brain.reply(talk_request(model))
    assert failed.value.fault is BrainFault.NO_CREDENTIAL
    assert str(failed.value) == sentence


async def test_a_missing_key_of_any_other_provider_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    async with connect_brain(environ={}) as brain:
        with pytest.raises(BrainFailed, match=r"^DeepSeek needs a key for deepseek-chat: set DEEPSEEK_API_KEY, or"):
            await brain.reply(talk_request("deepseek:deepseek-chat"))


@pytest.mark.parametrize(
    ("credentials", "advice"),
    [
        ({}, "add it to the credentials, or take `llm.credential` out"),
        ({"a": Credential(api_key=SecretStr("k")), "b": Credential(api_key=SecretStr("k"))}, "name one of `a`, `b`"),
    ],
)
async def test_an_unknown_credential_is_told_with_the_known_ones(
    credentials: dict[str, Credential], advice: str
) -> None:
    async with connect_brain(credentials=credentials, environ={}) as brain:
        with pytest.raises(BrainFailed) as failed:
            await brain.reply(talk_request(Llm(model="openai:gpt-x", credential="mine")))
    assert str(failed.value) == f"There is no credential named `mine` for openai:gpt-x: {advice}."
    assert failed.value.fault is BrainFault.NO_CREDENTIAL


async def test_a_refused_credential_is_named_and_its_key_is_not(server: ModelServer) -> None:
    server.answer = Status(401, "Incorrect API key provided: the-secret-key.")
    credential = Credential(api_key=SecretStr("the-secret-key"), base_url=server.openai_url)
    async with connect_brain(credentials={"main": credential}, environ={}) as brain:
        with pytest.raises(BrainFailed) as failed:
            await brain.reply(talk_request(Llm(model="openai:gpt-x", credential="main")))
    assert str(failed.value) == "OpenAI refused the key for gpt-x (401): give the credential `main` a valid key."


@pytest.mark.parametrize("base_url", ["localhost:8000/v1", "http://", "http://[::1/v1", "ftp://host/v1"])
async def test_an_address_that_is_no_url_is_told(base_url: str) -> None:
    async with connect_brain(environ={}) as brain:
        with pytest.raises(BrainFailed, match=r"^The address of openai-compatible:m is not a URL: write it like"):
            await brain.reply(talk_request(Llm(model="openai-compatible:m", base_url=base_url)))


async def test_an_address_with_a_password_is_refused_and_not_repeated() -> None:
    async with connect_brain(environ={}) as brain:
        with pytest.raises(BrainFailed, match="holds a user or password") as failed:
            await brain.reply(talk_request(Llm(model="openai-compatible:m", base_url="http://me:hidden@host/v1")))
    assert "hidden" not in str(failed.value)


async def test_a_compatible_server_needs_no_key_and_its_price_is_not_guessed(server: ModelServer) -> None:
    llm = Llm(model="openai-compatible:my/model", base_url=server.openai_url)
    async with connect_brain(environ={"OPENAI_API_KEY": "sk-not-for-others"}) as brain:
        reply = await brain.reply(talk_request(llm))
    assert reply.usage.cost is None
    assert server.requests[0].model == "my/model"
    assert "sk-not-for-others" not in str(dict(server.requests[0].headers))


async def test_ollama_is_found_at_its_host_and_costs_nothing(brain: Brain, server: ModelServer) -> None:
    server.queue(Answer(text="<think>Who is it?</think>Hello."))
    reply = await brain.reply(talk_request("ollama:qwen3"))
    assert reply.text == "Hello."
    assert reply.usage.cost == 0
    assert server.requests[0].path == "/v1/chat/completions"


@pytest.mark.parametrize("model", ["openai-compatible:m", "ollama:m"])
async def test_a_server_without_schemas_is_asked_for_json_in_words(
    model: str, brain: Brain, server: ModelServer
) -> None:
    verdict = '{"answer": "no", "reason": "It was rude.", "quote": ""}'

    def answer(heard: Heard) -> Reply:
        if "json_schema" in str(heard.body.get("response_format")):
            return Status(400, "response_format json_schema is not supported")
        return Answer(text=f"```json\n{verdict}\n```")

    server.answer = answer
    llm = Llm(model=model, base_url=server.openai_url)
    first, second = await brain.reply(verdict_request(llm)), await brain.reply(verdict_request(llm))
    assert json.loads(first.text) == json.loads(second.text) == json.loads(verdict)
    assert (first.requests, second.requests, server.count) == (2, 1, 3)
    assert "quote" in str(server.requests[-1].body["messages"])


async def test_a_model_without_schemas_answers_by_a_tool(brain: Brain, server: ModelServer) -> None:
    verdict = {"answer": "yes", "reason": "It was kind.", "quote": "Hello"}

    def answer(heard: Heard) -> Reply:
        assert heard.answer_tool == "verdict"
        return Answer(calls=[Call(heard.answer_tool or "", verdict)])

    server.answer = answer
    reply = await brain.reply(verdict_request("anthropic:claude-3-5-haiku-latest"))
    assert json.loads(reply.text) == verdict
    assert reply.calls == ()


async def test_a_thinking_model_is_not_sent_the_temperature_that_it_refuses(brain: Brain, server: ModelServer) -> None:
    for model in ("openai:o4-mini", "openai:gpt-5", "anthropic:claude-opus-4-8", "openai:gpt-4.1"):
        await brain.reply(talk_request(Llm(model=model, temperature=0.2)))
    assert ["temperature" in heard.body for heard in server.requests] == [False, False, False, True]


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("opnai:gpt-x", "There is no provider named `opnai`: did you mean `openai:gpt-x`?"),
        ("groq:llama", "Groq needs a package that is not installed: `pip install 'greenroom[groq]'`."),
        ("mistral:m", "Mistral needs a package that is not installed: `pip install 'greenroom[mistral]'`."),
        ("bedrock:m", "Amazon Bedrock needs a package that is not installed: `pip install 'greenroom[bedrock]'`."),
    ],
)
async def test_a_provider_that_is_not_there_is_told_with_what_to_do(model: str, sentence: str) -> None:
    async with connect_brain(environ={"GROQ_API_KEY": "k", "MISTRAL_API_KEY": "k"}) as brain:
        with pytest.raises(BrainFailed) as failed:
            await brain.reply(talk_request(model))
    assert str(failed.value) == sentence
    assert failed.value.fault is BrainFault.UNKNOWN_MODEL


async def test_any_other_openai_shaped_provider_is_asked_at_the_address_given(server: ModelServer) -> None:
    llm = Llm(model="litellm:some-model", base_url=server.openai_url, credential="proxy")
    credential = Credential(api_key=SecretStr("proxy-key"), base_url=server.openai_url)
    async with connect_brain(credentials={"proxy": credential}, environ={}) as brain:
        reply = await brain.reply(talk_request(llm))
    assert reply.text
    assert server.requests[0].tools == (BOOK.name,)
    assert keys_sent(server.requests[0]) == ["proxy-key"]


async def test_an_address_for_a_provider_that_has_but_one_is_refused() -> None:
    async with connect_brain(environ={"CEREBRAS_API_KEY": "k"}) as brain:
        with pytest.raises(BrainFailed, match=r"^Cerebras has one address of its own for m: take `base_url` out\.$"):
            await brain.reply(talk_request(Llm(model="cerebras:m", base_url="http://127.0.0.1:9/v1")))


async def test_prompt_caching_is_asked_for_in_talks_and_not_by_judges(brain: Brain, server: ModelServer) -> None:
    await brain.reply(talk_request(MODELS["anthropic"]))
    await brain.reply(verdict_request(MODELS["anthropic"]))
    talk, judge = server.requests
    assert b"cache_control" in talk.raw
    assert b"cache_control" not in judge.raw
