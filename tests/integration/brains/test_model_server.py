"""The loopback model server plays whole talks by the rules of a scripted brain, in any wire format and process."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.support.model_server import ModelServer
from tests.support.model_server_requests import MODELS, talk_request, verdict_request
from tests.support.model_server_types import Wire

from greenroom.brains.connect import connect_brain
from greenroom.model.llm import ScriptRule
from greenroom.model.marker import HANG_UP
from greenroom.model.talk import Brain, ModelSaid, ToolAnswered, UserSaid

RULES = [
    ScriptRule.model_validate(rule)
    for rule in [
        {"when": "monday", "call": {"tool": "book_slot", "arguments": {"day": "Monday"}}},
        {"when": {"tool": "book_slot"}, "say": "Booked."},
        {"when": "again", "times": 1, "say": "Once."},
        {"say": "Which day?"},
        {"role": "caller", "when": "booked", "say": "Thanks, bye.", "hang_up": True},
        {"role": "caller", "say": "Monday, please."},
        {"role": "judge", "when": "polite", "answer": "yes"},
        {"role": "judge", "answer": "no"},
    ]
]


@pytest.mark.parametrize("wire", list(MODELS))
async def test_it_plays_agent_caller_and_judge(wire: Wire, brain: Brain, server: ModelServer) -> None:
    model = MODELS[wire]
    server.answer = ModelServer.playing(RULES).answer
    asked = await brain.reply(talk_request(model, UserSaid("Hello")))
    assert asked.text == "Which day?"
    called = await brain.reply(talk_request(model, UserSaid("Monday")))
    assert [json.loads(call.arguments) for call in called.calls] == [{"day": "Monday"}]
    answered = await brain.reply(
        talk_request(
            model,
            UserSaid("Monday"),
            ModelSaid("", called.calls, called.provider_state),
            ToolAnswered(called.calls[0].id, "book_slot", "monday is free"),
        )
    )
    assert answered.text == "Booked."
    caller = f"You call a dentist. End with {HANG_UP} to hang up."
    line = await brain.reply(talk_request(model, UserSaid("Which day?"), system=caller, tools=False))
    last = await brain.reply(talk_request(model, UserSaid("Booked."), system=caller, tools=False))
    assert (line.text, last.text) == ("Monday, please.", f"Thanks, bye. {HANG_UP}")
    verdict = await brain.reply(verdict_request(model))
    assert json.loads(verdict.text)["answer"] == "yes"


async def test_a_rule_that_fires_once_does_so_over_http_too(brain: Brain, server: ModelServer) -> None:
    server.answer = ModelServer.playing(RULES).answer
    first = await brain.reply(talk_request(MODELS["openai"], UserSaid("again")))
    second = await brain.reply(
        talk_request(MODELS["openai"], UserSaid("again"), ModelSaid(first.text), UserSaid("again"))
    )
    assert (first.text, second.text) == ("Once.", "Which day?")


def test_it_runs_in_a_thread_for_programs_that_are_not_async() -> None:
    with ModelServer.in_thread() as server:
        request = urllib.request.Request(
            f"{server.openai_url}/chat/completions", data=b'{"model": "m", "messages": []}', method="POST"
        )
        with urllib.request.urlopen(request) as response:
            assert json.load(response)["choices"][0]["message"]["content"] == "Hello from the model server."
        server.wait_for(1)
        assert server.requests[0].model == "m"


async def test_it_runs_as_a_program_that_prints_its_address(tmp_path: Path) -> None:
    script = tmp_path / "rules.yaml"
    script.write_text("- {when: hello, say: Good day}\n", encoding="utf-8")
    command = [sys.executable, "-m", "tests.support.model_server", "--script", str(script), "--latency-ms", "1"]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:  # noqa: ASYNC220
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        async with connect_brain(environ={"OPENAI_BASE_URL": f"{url}/v1"}) as brain:
            reply = await brain.reply(talk_request(MODELS["openai"], UserSaid("Hello")))
        process.terminate()
    assert reply.text == "Good day"
