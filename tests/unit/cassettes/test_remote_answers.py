"""Recording the answers of remote agents, and replaying them."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.talks import (
    FunctionBrain,
    FunctionRemote,
    NoRemotes,
    PlainSearch,
    RememberingTools,
    StillClock,
    make_test,
    tool_call,
)

from greenroom.batch import BatchOptions, plan_runs, play_batch
from greenroom.cassettes.tape import Mode, Tape
from greenroom.cassettes.wrap import describe_remote, with_cassette
from greenroom.engine import Ports
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import RunError
from greenroom.model.run import Run, ToolLine
from greenroom.model.talk import ToolAnswered, Usage
from greenroom.play.ports import RemoteAgents, RemoteCall, RemoteReply, RemoteRequest

_IDS = count()


def remote(**fields: Any) -> Agent:
    """An agent that keeps the talk itself; `remote` changes where it lives."""
    where = {"type": "http", "url": "https://agent.example.com/chat?key=hush-hush", **fields.pop("remote", {})}
    return Agent.model_validate({"name": "Maya", "remote": where, **fields})


def play_with(
    path: Path, mode: Mode, there: RemoteAgents, test: Test, agent: Agent | None = None, concurrency: int = 10
) -> list[Run]:
    """Play a test's runs, each time under new ids."""
    tape = Tape.open(path, mode)
    brain = FunctionBrain(lambda _: "unused")
    ports = Ports(brain=brain, tools=RememberingTools(), knowledge=PlainSearch(), remote=there, clock=StillClock())
    plans = plan_runs(test, agent or remote(), new_id=lambda: f"run_{next(_IDS)}")
    result = asyncio.run(play_batch(plans, with_cassette(ports, tape), options=BatchOptions(concurrency=concurrency)))
    tape.save()
    return result.runs


def counting() -> FunctionRemote:
    """A remote agent that never says the same twice."""
    numbers = count(1)
    return FunctionRemote(lambda _: f"Answer {next(numbers)}.")


def said(run: Run) -> list[str]:
    return [line.text for line in run.transcript if not isinstance(line, ToolLine)]


def test_a_replay_gives_the_same_runs_and_asks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    test = make_test("One.", "Two.", "One.", repeat=20)
    recorded = play_with(path, "record", counting(), test)
    replayed = play_with(path, "replay", NoRemotes(), test, concurrency=3)
    assert [said(run) for run in replayed] == [said(run) for run in recorded]
    assert {run.status for run in replayed} == {"passed"}
    assert len({str(said(run)) for run in recorded}) == 20


def test_all_of_an_answer_comes_back(tmp_path: Path) -> None:
    def answer(request: RemoteRequest) -> RemoteReply:
        if not isinstance(request.messages[-1], ToolAnswered):
            return RemoteReply("One moment.", calls=(tool_call("book"),), model="desk-2", latency_ms=120)
        usage = Usage(input_tokens=10, output_tokens=3, cost=None)
        done = (RemoteCall("look", {"day": "Monday"}, [1, None]),)
        return RemoteReply("Bye, नमस्ते.", done=done, ended=True, usage=usage, model="desk-2")

    path, test, agent = tmp_path / "a.json", make_test("Book."), remote(tools=[{"name": "book"}])
    [recorded] = play_with(path, "record", FunctionRemote(answer), test, agent)
    [replayed] = play_with(path, "replay", NoRemotes(), test, agent)
    assert replayed.transcript == recorded.transcript
    assert replayed.usage == recorded.usage
    assert replayed.ended_by == "agent_hung_up"


def test_a_miss_shows_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    play_with(path, "record", counting(), make_test("Hi."), remote(prompt="Be kind."))
    [run] = play_with(path, "replay", NoRemotes(), make_test("Hi."), remote(prompt="Be brief."))
    assert run.status == "error"
    assert "has no answer for this message of `Maya / A talk / 0`" in str(run.error)
    assert "Be kind." in str(run.error)
    assert "Be brief." in str(run.error)


def test_auto_asks_for_a_talk_that_is_new_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    play_with(path, "auto", counting(), make_test("One.", name="A"))
    there = counting()
    play_with(path, "auto", there, make_test("One.", name="B"))
    assert [request.scope for request in there.requests] == ["Maya / B / 0"]


def test_auto_does_not_let_an_agent_that_keeps_the_talk_go_on_with_what_it_never_heard(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    play_with(path, "auto", counting(), make_test("One.", "Two."))
    there = counting()
    [run] = play_with(path, "auto", there, make_test("One.", "Other."))
    assert there.requests == []
    assert "Record again" in str(run.error)
    stateless = remote(remote={"stateful": False})
    play_with(path, "record", counting(), make_test("One.", "Two."), stateless)
    [run] = play_with(path, "auto", there, make_test("One.", "Other."), stateless)
    assert run.status == "passed"
    assert len(there.requests) == 1


def test_neither_key_nor_session_is_part_of_what_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    one = remote(remote={"headers": {"Authorization": "Bearer hush-one"}})
    two = remote(remote={"headers": {"Authorization": "Bearer hush-two"}, "timeout_seconds": 5})
    play_with(path, "record", counting(), make_test("Hi."), one)
    [run] = play_with(path, "replay", NoRemotes(), make_test("Hi."), two)
    assert run.status == "passed"
    kept = path.read_text(encoding="utf-8")
    assert "hush" not in kept
    assert "run_" not in kept


def test_another_place_is_another_request() -> None:
    def described(agent: Agent) -> object:
        return describe_remote(RemoteRequest("run_1", "run_1", agent, "", {}, (), ""))

    assert described(remote()) != described(remote(remote={"url": "https://other.example"}))
    assert described(remote()) != described(remote(remote={"body": {"q": "{{message}}"}}))


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    def fail(_: RemoteRequest) -> str:
        raise RunError("It is down.")

    path = tmp_path / "a.json"
    [recorded] = play_with(path, "record", FunctionRemote(fail), make_test("Hi."))
    assert recorded.error == "It is down."
    [run] = play_with(path, "auto", counting(), make_test("Hi."))
    assert said(run) == ["Hi.", "Answer 1."]
