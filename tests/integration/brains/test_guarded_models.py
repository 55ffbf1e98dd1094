"""Models at addresses that strangers give: only the public internet is called, and no key goes astray."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.model_server import Answer, ModelServer
from tests.support.model_server_requests import MODELS, talk_request
from tests.support.model_server_types import Wire

from greenroom.brains.accounts import Bounds
from greenroom.brains.connect import connect_brain
from greenroom.model.errors import BrainFailed
from greenroom.model.llm import Credential, Llm
from greenroom.model.talk import BrainReply
from greenroom.outgoing.addresses import Guard

STRANGERS = Bounds(Guard())
WIRES = list(MODELS)


def address_of(server: ModelServer, wire: Wire, host: str = "127.0.0.1") -> str:
    urls = {"openai": server.openai_url, "anthropic": server.anthropic_url, "google": server.google_url}
    return urls[wire].replace("127.0.0.1", host)


async def ask(llm: dict[str, Any], bounds: Bounds | None, **credentials: Credential) -> BrainReply:
    async with connect_brain(credentials=credentials, environ={}, bounds=bounds) as brain:
        return await brain.reply(talk_request(Llm.model_validate(llm)), seconds_left=20)


def key(address: str | None = None) -> Credential:
    return Credential(api_key=SecretStr("sk-house-secret"), base_url=address)


class Names:
    """A name server that says something else each time."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0", "127.0.0.1."],
)
async def test_no_spelling_of_loopback_reaches_a_model_there(server: ModelServer, wire: Wire, host: str) -> None:
    llm = {"model": MODELS[wire], "base_url": address_of(server, wire, host), "credential": "own"}
    with pytest.raises(BrainFailed) as failure:
        await ask(llm, STRANGERS, own=key())
    assert "public internet" in str(failure.value) or "not a URL" in str(failure.value)
    assert "sk-house-secret" not in str(failure.value)
    assert server.requests == []


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest/v1", "http://[fd00:ec2::254]/v1", "http://10.0.0.7/v1"])
async def test_metadata_and_private_addresses_are_refused_in_one_sentence(url: str) -> None:
    with pytest.raises(BrainFailed, match=r"The model server may not be called at .* only addresses on the public"):
        await ask({"model": "openai-compatible:m", "base_url": url}, STRANGERS)


async def test_ollama_s_own_default_is_this_machine_and_refused() -> None:
    with pytest.raises(BrainFailed, match="public internet"):
        await ask({"model": "ollama:llama3"}, STRANGERS)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_name_that_turns_private_is_refused_at_the_next_request(server: ModelServer, wire: Wire) -> None:
    server.queue(Answer(text="Hello."))
    llm = {"model": MODELS[wire], "base_url": address_of(server, wire, "models.example"), "credential": "own"}
    with pytest.raises(BrainFailed, match="public internet"):
        await ask(llm, Bounds(Guard(resolve=Names(["127.0.0.1"]))), own=key())
    assert server.requests == []


@pytest.mark.parametrize("wire", WIRES)
async def test_an_operator_s_own_address_may_be_anywhere(server: ModelServer, wire: Wire) -> None:
    server.queue(Answer(text="Hello."))
    bounds = Bounds(Guard(), bound=frozenset({"house"}), trusted=frozenset({"house"}))
    reply = await ask({"model": MODELS[wire], "credential": "house"}, bounds, house=key(address_of(server, wire)))
    assert reply.text == "Hello."


@pytest.mark.parametrize("wire", WIRES)
async def test_a_bound_key_is_sent_to_no_address_but_its_own(server: ModelServer, wire: Wire) -> None:
    bounds = Bounds(Guard(allow_private_networks=True), bound=frozenset({"house"}))
    llm = {"model": MODELS[wire], "credential": "house", "base_url": address_of(server, wire)}
    with pytest.raises(BrainFailed, match="for its own address alone: take `base_url`"):
        await ask(llm, bounds, house=key("https://models.example/v1"))
    with pytest.raises(BrainFailed, match="for its own address alone"):
        await ask(llm, bounds, house=key())
    assert server.requests == []


async def test_a_refused_address_is_not_tried_again(server: ModelServer) -> None:
    asked = 0

    async def resolve(host: str, port: int) -> Sequence[str]:
        nonlocal asked
        asked += 1
        return ["127.0.0.1"]

    with pytest.raises(BrainFailed):
        await ask(
            {"model": "openai-compatible:m", "base_url": "http://models.example/v1"}, Bounds(Guard(resolve=resolve))
        )
    assert asked == 1
