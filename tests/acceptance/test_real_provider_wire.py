"""The examples played over the wire of each provider: all of them pass, every token is counted once, and nothing is
sent twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_server import ModelServer
from tests.support.model_server_director import Director, role_of
from tests.support.model_server_types import Answer, Heard, Reply, Status, Wire
from tests.support.program import Greenroom

from greenroom.files import load_files
from greenroom.model.agent import Agent
from greenroom.model.llm import ScriptRule

EXAMPLES = Path(__file__).parents[2] / "examples"
TALKS = 11
KEY = "sk-a-secret-that-nobody-may-see"
ENVIRONS: dict[Wire, tuple[str, str]] = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "google": ("GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
}


MODELS: dict[Wire, str] = {
    "openai": "openai:gpt-4.1-mini",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google": "google:gemini-2.5-flash",
}
NEVER_SAYS = """
agent:
  name: Front desk
  prompt: You answer the phone.
  greeting: Hello.
  llm: {{model: "{model}"}}
tests:
  - name: Makes no promise
    caller: {{messages: [Do you guarantee it?]}}
    checks: [{{type: never_says, text: guarantee}}]
"""


class Cast:
    """Plays every example by its own script, told apart by what each request says; adds up the tokens it reports."""

    def __init__(self) -> None:
        self._scripts = [(mark, Director(rules)) for mark, rules in _scripts()]
        self.heard: list[Heard] = []
        self.tokens = [0, 0]

    async def __call__(self, heard: Heard) -> Reply:
        self.heard.append(heard)
        words = "\n".join((heard.system, *(message.text for message in heard.messages)))
        director = next(director for mark, director in self._scripts if mark in words)
        reply = await director(_without_hand_over(heard))
        if isinstance(reply, Answer) and reply.usage is not None:
            self.tokens[0] += reply.usage.input
            self.tokens[1] += reply.usage.output
        return reply


def _without_hand_over(heard: Heard) -> Heard:
    """The request as it was before the talk was handed over: scripts answer what the caller said last."""
    if not heard.last.text.startswith("(the conversation is handed over"):
        return heard
    spoken = max(index for index, message in enumerate(heard.messages[:-1]) if message.role == "user")
    return replace(heard, messages=heard.messages[: spoken + 1])


def _scripts() -> Iterator[tuple[str, list[ScriptRule]]]:
    """What only the requests of one example hold, and the rules of that example's script."""
    for case in load_files([EXAMPLES]).cases:
        for agent in (case.agent, *case.others.values()):
            assert agent.llm is not None
            yield _first_words(agent), agent.llm.script
        assert case.agent.llm is not None
        if case.test.caller.persona is not None:
            yield case.test.caller.persona.strip(), case.agent.llm.script
        yield f"agent {case.agent.name}", case.agent.llm.script


def _first_words(agent: Agent) -> str:
    """The longest line of an agent's prompt that has no variable in it."""
    return max((line for line in agent.prompt.splitlines() if "{" not in line), key=len)


@pytest.mark.parametrize("wire", ENVIRONS)
def test_every_example_passes_over_the_providers_own_wire_and_nothing_is_sent_twice(
    wire: Wire, greenroom: Greenroom
) -> None:
    cast = Cast()
    with ModelServer.in_thread(cast) as server:
        key, address = ENVIRONS[wire]
        environ = {key: KEY, address: server.base_url(wire)}
        played = greenroom.run("run", str(EXAMPLES), "--variant", wire, "--json", environ=environ)
        sent = server.count
    runs: list[dict[str, Any]] = played.json["runs"]
    assert {run["test"]: (run["status"], run["error"]) for run in runs if run["status"] != "passed"} == {}
    assert (played.code, len(runs)) == (0, TALKS)
    usage = [entry for run in runs for entry in run["usage"]]
    assert sum(entry["calls"] for entry in usage) == sent == len(cast.heard)
    assert [sum(entry[side] for entry in usage) for side in ("input_tokens", "output_tokens")] == cast.tokens
    assert all(entry["input_tokens"] and entry["output_tokens"] and not entry["estimated"] for entry in usage)
    assert {heard.wire for heard in cast.heard} == {wire}
    assert {role_of(heard) for heard in cast.heard} == {"agent", "caller", "judge"}
    assert KEY not in played.everything


@pytest.mark.parametrize(("code", "words"), [(401, "refused the key"), (404, "has no model named")])
@pytest.mark.parametrize("wire", ENVIRONS)
def test_an_agent_whose_model_fails_is_an_error_and_never_a_success_with_empty_replies(
    wire: Wire, code: int, words: str, greenroom: Greenroom
) -> None:
    greenroom.write("greenroom.yaml", NEVER_SAYS.format(model=MODELS[wire]))
    with ModelServer.in_thread(Status(code, f"No: {KEY}")) as server:
        key, address = ENVIRONS[wire]
        environ = {key: KEY, address: server.base_url(wire)}
        played = greenroom.run("run", "--json", environ=environ)
        sent = server.count
    [run] = played.json["runs"]
    assert (played.code, run["status"], run["ended_by"], sent) == (3, "error", "error", 1)
    assert words in run["error"]
    assert MODELS[wire].partition(":")[2] in run["error"]
    assert [line["text"] for line in run["transcript"] if line["role"] == "agent"] == ["Hello."]
    assert [check["passed"] for check in run["checks"]] == [None]
    assert KEY not in played.everything
