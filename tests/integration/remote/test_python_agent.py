"""Agents that are Python code of this machine."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.remote_agents import ask, asked, opened, remote_agent, talk_with
from tests.support.talks import make_test, play

from greenroom.model.agent import Agent
from greenroom.model.errors import RunError
from greenroom.play.ports import RemoteCall, RemoteReply
from greenroom.remote.connect import open_remote_agents


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that one is in, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def written(folder: Path, code: str, target: str = "my_agent:reply", **fields: Any) -> Agent:
    """An agent whose module has this code."""
    (folder / "my_agent.py").write_text(code, encoding="utf-8")
    return remote_agent({"type": "python", "target": target, **fields.pop("remote", {})}, **fields)


async def given(function: Any, *messages: str, stateful: bool = False, **fields: Any) -> RemoteReply:
    """The reply of a function that is given in Python."""
    agent = remote_agent({"type": "python", "target": "functions:it", "stateful": stateful}, **fields)
    return await ask(agent, *messages, functions={"it": function})


@pytest.mark.parametrize("kind", ["def", "async def"])
async def test_a_function_of_a_module_in_this_folder_plays_a_whole_talk(folder: Path, kind: str) -> None:
    (folder / "neighbour.py").write_text("GREETING = 'Heard'", encoding="utf-8")
    code = f"""
{kind} reply(messages, *, variables, prompt, session_id):
    from neighbour import GREETING
    words = messages[-1]["content"]
    said = f"{{GREETING}}: {{words}} ({{len(messages)}}, {{prompt}}, {{variables['day']}}, {{session_id}})"
    return said
"""
    agent = written(folder, code, prompt="Be {mood}.", variables={"mood": "kind"}, greeting="Maya.")
    played = await talk_with(agent, make_test("नमस्ते 👍🏽", "And?", variables={"day": "Monday"}))
    assert [line.text for line in played.agent_lines] == [
        "Maya.",
        "Heard: नमस्ते 👍🏽 (2, Be kind., Monday, run_1)",
        "Heard: And? (4, Be kind., Monday, run_1)",
    ]


async def test_a_function_that_keeps_the_talk_gets_only_the_new_message() -> None:
    got: list[object] = []

    def reply(messages: list[object], session_id: str) -> str:
        got.append((session_id, messages))
        return "Yes."

    agent = remote_agent({"type": "python", "target": "functions:it", "stateful": True})
    async with open_remote_agents(functions={"it": reply}) as agents:
        await play(agent, make_test("One.", "Two."), remote=agents)
    assert got == [
        ("run_1", [{"role": "user", "content": "One."}]),
        ("run_1", [{"role": "user", "content": "Two."}]),
    ]


@pytest.mark.parametrize("stateful", [True, False])
async def test_an_agent_that_opens_the_talk_gets_no_messages(stateful: bool) -> None:
    assert (await given(lambda messages: f"Heard {messages}", stateful=stateful)).text == "Heard []"


async def test_what_it_ran_and_that_it_hung_up_stand_in_the_run() -> None:
    def reply(messages: object) -> dict[str, object]:
        calls = [{"name": "book", "arguments": {"days": ("Monday",)}, "result": {"ok": True}}]
        return {"reply": "Booked.", "tool_calls": calls, "ended": True}

    agent = remote_agent({"type": "python", "target": "functions:it"})
    async with open_remote_agents(functions={"it": reply}) as agents:
        checks = [{"type": "calls_tool", "tool": "book"}, {"type": "ends_call"}]
        played = await play(agent, make_test("Book.", checks=checks), remote=agents)
    assert played.run.status == "passed", played.run.checks
    assert [(line.arguments, line.result, line.source) for line in played.tool_lines] == [
        ({"days": ["Monday"]}, {"ok": True}, "recorded")
    ]


class Desk:
    """An agent that is an object."""

    def __call__(self, messages: object) -> str:
        return "From an object."

    def method(self, messages: object, **rest: object) -> str:
        return f"From a method, with {', '.join(sorted(rest))}."

    async def later(self, prompt: object) -> str:
        return f"Messages in a parameter of another name: {prompt}"


class AsyncDesk:
    async def __call__(self, messages: object) -> str:
        return "From an async object."


def gives_an_awaitable(messages: object) -> object:
    async def later() -> str:
        return "From an awaitable."

    return later()


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (Desk(), "From an object."),
        (Desk().method, "From a method, with prompt, session_id, variables."),
        (Desk().later, "Messages in a parameter of another name: [{'role': 'user', 'content': 'Hi'}]"),
        (AsyncDesk(), "From an async object."),
        (gives_an_awaitable, "From an awaitable."),
        (lambda messages, prompt="none": prompt, "Be kind."),
        (str, "[{'role': 'user', 'content': 'Hi'}]"),
    ],
)
async def test_anything_that_can_be_called_is_an_agent(function: Any, text: str) -> None:
    assert (await given(function, "Hi", prompt="Be kind.")).text == text


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ({"reply": "Yes."}, RemoteReply("Yes.")),
        ({"ended": True}, RemoteReply("", ended=True)),
        ({"reply": "", "tool_calls": [{"name": "x"}]}, RemoteReply("", done=(RemoteCall("x"),))),
    ],
)
async def test_an_answer_may_be_an_object(answer: object, reply: RemoteReply) -> None:
    got = await given(lambda messages: answer, "Hi")
    assert (got.text, got.done, got.ended) == (reply.text, reply.done, reply.ended)


async def test_sync_functions_of_many_runs_run_side_by_side_and_keep_apart() -> None:
    together = threading.Barrier(20, timeout=30)

    def reply(messages: list[dict[str, str]], session_id: str) -> str:
        together.wait()
        return f"{messages[-1]['content']} in {session_id}"

    agent = remote_agent({"type": "python", "target": "functions:it"})
    async with opened(functions={"it": reply}) as agents:
        requests = [asked(agent, f"caller {number}", run_id=f"run_{number}") for number in range(20)]
        replies = await asyncio.gather(*(agents.reply(request, seconds_left=60) for request in requests))
    assert [reply.text for reply in replies] == [f"caller {number} in run_{number}" for number in range(20)]


RAISING: dict[str, tuple[str, str]] = {
    "exception": (
        "def reply(messages):\n    raise ValueError('no such day')",
        "raised ValueError: no such day (my_agent.py:2).",
    ),
    "async exception": (
        "async def reply(messages):\n    raise ValueError('no such day')",
        "raised ValueError: no such day (my_agent.py:2).",
    ),
    "in a library": (
        "import json\ndef reply(messages):\n    return json.loads('{')",
        "raised json.decoder.JSONDecodeError: Expecting property name",
    ),
    "place of a library's": ("import json\ndef reply(messages):\n\n    return json.loads('{')", "(my_agent.py:4)."),
    "own exception": (
        "class Odd(Exception): ...\ndef reply(messages):\n    raise Odd",
        "raised my_agent.Odd (my_agent.py:3).",
    ),
    "exit": ("import sys\ndef reply(messages):\n    sys.exit(3)", "raised SystemExit: 3 (my_agent.py:3)."),
    "its own timeout": ("def reply(messages):\n    raise TimeoutError", "raised TimeoutError (my_agent.py:2)."),
    "end of an iterator": ("def reply(messages):\n    next(iter(()))", "raised StopIteration (my_agent.py:2)."),
    "cancelled": (
        "import asyncio\nasync def reply(messages):\n    raise asyncio.CancelledError",
        "raised asyncio.exceptions.CancelledError (my_agent.py:3).",
    ),
    "a secret": (
        "def reply(messages):\n    raise KeyError('sk-abcdef1234567')",
        "raised KeyError: '[hidden]' (my_agent.py:2).",
    ),
    "on import": ("x = 1 / 0", "cannot be imported: ZeroDivisionError: division by zero (my_agent.py:1)."),
    "syntax": ("def reply(:\n", "cannot be imported: SyntaxError: invalid syntax (my_agent.py:1)."),
    "missing library": (
        "import no_such_library\n",
        "cannot be imported: ModuleNotFoundError: No module named 'no_such_library' (my_agent.py:1).",
    ),
    "no function": ("x = 1", "has no function `reply` for the agent Maya: correct `remote.target`."),
    "no callable": ("reply = 5", "has no function `reply` for the agent Maya"),
    "nothing": ("def reply(messages): ...", "gave nothing as its reply: give text, or `{reply: …}`."),
    "a list": ("def reply(messages): return []", "gave a value of type list as its reply"),
    "no plain data": (
        "def reply(messages): return {'reply': 'x', 'at': object()}",
        "gave a reply that is not plain data",
    ),
    "a loop": (
        "def reply(messages):\n    x = {'reply': 'x'}\n    x['x'] = x\n    return x",
        "a reply that is not plain data",
    ),
    "no reply": (
        "def reply(messages): return {'text': 'secret words'}",
        "answered without words at `reply`; its answer is an object with `text`: give text, or `{reply: …}`.",
    ),
    "takes nothing": ("def reply(): ...", "cannot be called with the messages (too many positional arguments): let it"),
    "takes more": (
        "def reply(messages, other): ...",
        "cannot be called with the messages (missing a required argument",
    ),
}


@pytest.mark.parametrize(("code", "words"), RAISING.values(), ids=RAISING)
async def test_every_failure_is_a_sentence_with_the_place_in_ones_own_code(folder: Path, code: str, words: str) -> None:
    played = await talk_with(written(folder, code), make_test("Hi."))
    said = str(played.run.error)
    assert played.run.status == "error"
    assert words in said
    assert "Maya" in said
    assert "Traceback" not in said
    assert "\n" not in said
    assert "secret words" not in said


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("no_such_module:reply", "There is no module `no_such_module` for the agent Maya: start in its folder"),
        ("no_such_package.inner:reply", "There is no module `no_such_package` for the agent Maya"),
        ("functions:reply", "There is no module `functions` for the agent Maya"),
    ],
)
async def test_a_module_that_is_not_there_is_told(folder: Path, target: str, words: str) -> None:
    with pytest.raises(RunError) as failure:
        await ask(remote_agent({"type": "python", "target": target}), "Hi")
    assert words in str(failure.value)


async def test_a_function_that_was_not_given_is_told() -> None:
    with pytest.raises(RunError, match=r"no function `functions:two` for the agent Maya: given are `functions:one`\."):
        await ask(remote_agent({"type": "python", "target": "functions:two"}), "Hi", functions={"one": str})


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_function_that_takes_too_long_is_not_waited_for(kind: str) -> None:
    held = threading.Event()

    async def later(messages: object) -> str:
        await asyncio.Event().wait()
        return "late"

    def blocks(messages: object) -> str:
        held.wait(30)
        return "late"

    agent = remote_agent({"type": "python", "target": "functions:it", "timeout_seconds": 0.05})
    try:
        with pytest.raises(RunError, match=r"Maya at functions:it gave no reply within 0\.05 seconds: make it faster"):
            await ask(agent, "Hi", functions={"it": later if kind == "async" else blocks})
    finally:
        held.set()


async def test_code_of_this_machine_may_be_ruled_out_but_not_what_was_given(folder: Path) -> None:
    agent = written(folder, "def reply(messages): return 'x'")
    with pytest.raises(RunError, match="may not be run here"):
        await ask(agent, "Hi", allow_private_networks=False)
    assert "my_agent" not in sys.modules
    own = remote_agent({"type": "python", "target": "functions:it"})
    assert (await ask(own, "Hi", allow_private_networks=False, functions={"it": lambda _: "Yes."})).text == "Yes."


async def test_an_object_of_a_module_is_found_by_its_path(folder: Path) -> None:
    code = "class Desk:\n    def answer(self, messages): return 'From inside.'\ndesk = Desk()"
    assert (await ask(written(folder, code, "my_agent:desk.answer"), "Hi")).text == "From inside."
