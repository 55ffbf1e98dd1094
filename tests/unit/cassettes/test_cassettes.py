"""Recording answers and replaying them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.talks import (
    FunctionBrain,
    NoRemotes,
    PlainSearch,
    RememberingTools,
    StillClock,
    make_agent,
    make_test,
    real_llm,
    tool_call,
)

from greenroom.batch import BatchOptions, plan_runs, play_batch
from greenroom.cassettes.secrets import secrets_of
from greenroom.cassettes.tape import CassetteMiss, Mode, Tape
from greenroom.cassettes.wrap import with_cassette
from greenroom.engine import Plan, Ports
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import BrainFailed, BrainFault, UserMistake
from greenroom.model.llm import Credential
from greenroom.model.run import Run
from greenroom.model.talk import Brain, BrainReply, BrainRequest, ToolAnswered, ToolOffer, Usage
from greenroom.play.ports import ToolAnswer


class Nobody:
    """A brain that must not be asked."""

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        raise AssertionError("a replay asked a model")


def play_with(
    path: Path,
    mode: Mode,
    brain: Brain,
    plans: list[Plan],
    *,
    tools: RememberingTools | None = None,
    secrets: tuple[str, ...] = (),
    concurrency: int = 10,
) -> list[Run]:
    tape = Tape.open(path, mode, secrets)
    ports = Ports(
        brain=brain, tools=tools or RememberingTools(), knowledge=PlainSearch(), remote=NoRemotes(), clock=StillClock()
    )
    result = asyncio.run(play_batch(plans, with_cassette(ports, tape), options=BatchOptions(concurrency=concurrency)))
    tape.save()
    return result.runs


def plans_of(test: Test, agent: Agent | None = None) -> list[Plan]:
    ids = count()
    return plan_runs(test, agent or make_agent(llm=real_llm()), new_id=lambda: f"run_{next(ids)}")


def talk(run: Run) -> list[tuple[str, Any]]:
    return [(line.role, getattr(line, "text", None) or getattr(line, "result", None)) for line in run.transcript]


def counting() -> FunctionBrain:
    """A brain that never says the same twice."""
    numbers = count(1)
    return FunctionBrain(lambda r: BrainReply(f"{r.role} line {next(numbers)}", usage=Usage(11, 7)))


def test_a_replay_gives_the_same_runs_and_asks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "tapes" / "a.json"
    test = make_test(max_turns=3, checks=[{"type": "says", "text": "agent line"}])
    recorded = play_with(path, "record", counting(), plans_of(test))
    replayed = play_with(path, "replay", Nobody(), plans_of(test))
    assert talk(recorded[0]) == talk(replayed[0])
    assert replayed[0].status == "passed"
    assert replayed[0].usage == recorded[0].usage


@pytest.mark.parametrize("concurrency", [1, 3, 20])
def test_replays_side_by_side_hand_no_run_another_runs_answer(tmp_path: Path, concurrency: int) -> None:
    path = tmp_path / "a.json"
    test = make_test("One.", "Two.", repeat=20)
    recorded = play_with(path, "record", counting(), plans_of(test), concurrency=7)
    replayed = play_with(path, "replay", Nobody(), plans_of(test), concurrency=concurrency)
    assert [talk(run) for run in replayed] == [talk(run) for run in recorded]
    assert len({str(talk(run)) for run in recorded}) == 20


def test_a_miss_shows_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    play_with(path, "record", counting(), plans_of(make_test("Hi."), make_agent(llm=real_llm(), prompt="Be kind.")))
    (run,) = play_with(
        path, "replay", Nobody(), plans_of(make_test("Hi."), make_agent(llm=real_llm(), prompt="Be brief."))
    )
    assert run.status == "error"
    assert run.error is not None
    assert "system: “Be kind." in run.error
    assert "became “Be brief." in run.error


def test_a_miss_of_a_test_that_was_never_recorded_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    play_with(path, "record", counting(), plans_of(make_test("Hi.", name="Old")))
    (run,) = play_with(path, "replay", Nobody(), plans_of(make_test("Hi.", name="New")))
    assert "nothing was recorded for that test" in (run.error or "")
    assert "Front desk / Old / 0" in (run.error or "")


def test_auto_asks_only_for_what_is_missing_and_keeps_both(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    one, two = make_test("Hi.", name="One"), make_test("Hi.", name="Two")
    play_with(path, "auto", counting(), plans_of(one))
    brain = counting()
    play_with(path, "auto", brain, [*plans_of(one), *plans_of(two)])
    assert [request.scope for request in brain.requests] == ["Front desk / Two / 0"]
    play_with(path, "replay", Nobody(), plans_of(one))
    assert play_with(path, "replay", Nobody(), plans_of(two))[0].status == "passed"


def test_the_same_request_twice_in_a_run_has_two_answers(tmp_path: Path) -> None:
    answers = iter(["", "Second."])
    path = tmp_path / "a.json"
    (recorded,) = play_with(path, "record", FunctionBrain(lambda _: next(answers)), plans_of(make_test("Hi.")))
    (run,) = play_with(path, "replay", Nobody(), plans_of(make_test("Hi.")))
    assert talk(run)[-1] == ("agent", "Second.")
    # The empty first answer is asked for and counted again, as it was when it was recorded.
    assert [entry.calls for entry in run.usage] == [entry.calls for entry in recorded.usage] == [2]


def test_several_judges_asked_the_same_replay_their_own_votes(tmp_path: Path) -> None:
    votes = iter(["yes", "no", "yes"])

    def answer(request: BrainRequest) -> str:
        return "Hello." if request.role == "agent" else f'{{"answer": "{next(votes)}", "reason": "So.", "quote": ""}}'

    test = make_test("Hi.", judges=3, checks=[{"type": "judge", "question": "Polite?"}])
    path = tmp_path / "a.json"
    (recorded,) = play_with(path, "record", FunctionBrain(answer), plans_of(test))
    (replayed,) = play_with(path, "replay", Nobody(), plans_of(test))
    assert recorded.checks[0].votes == "2 of 3"
    assert replayed.checks == recorded.checks


def test_a_failure_of_the_main_brain_replays_as_it_happened(tmp_path: Path) -> None:
    def answer(request: BrainRequest) -> str:
        if request.llm.name == "main":
            raise BrainFailed("It is down (503).", fault=BrainFault.UNAVAILABLE, status=503)
        return "From the backup."

    agent = make_agent(llm=real_llm("main"), llm_fallback=real_llm("backup"))
    path = tmp_path / "a.json"
    recorded = play_with(path, "record", FunctionBrain(answer), plans_of(make_test("Hi."), agent))
    replayed = play_with(path, "replay", Nobody(), plans_of(make_test("Hi."), agent))
    assert replayed[0].transcript[-1].fallback  # type: ignore[union-attr]
    assert replayed[0].warnings == recorded[0].warnings


def test_real_tools_and_the_tools_of_servers_replay_without_being_reached(tmp_path: Path) -> None:
    def answer(request: BrainRequest) -> str | BrainReply:
        done = any(isinstance(message, ToolAnswered) for message in request.messages)
        return "Done." if done else BrainReply("", (tool_call("crm__find", '{"name": "Ravi"}'),))

    agent = make_agent(llm=real_llm(), mcp_servers=[{"name": "crm", "url": "https://example.com/mcp"}])
    test = make_test("Find me.", tools="real", repeat=2)
    live = RememberingTools(
        answers={"crm__find": ToolAnswer({"found": "Ravi"})}, offered=(ToolOffer("crm__find", "", {"type": "object"}),)
    )
    path = tmp_path / "a.json"
    recorded = play_with(path, "record", FunctionBrain(answer), plans_of(test, agent), tools=live)
    gone = RememberingTools()
    replayed = play_with(path, "replay", Nobody(), plans_of(test, agent), tools=gone)
    assert gone.calls == []
    assert [talk(run) for run in replayed] == [talk(run) for run in recorded]
    assert replayed[0].status == "passed"


def test_no_secret_is_in_a_cassette_and_replays_still_find_their_answers(tmp_path: Path) -> None:
    secret = "sk-very-secret-value"
    agent = make_agent(llm=real_llm(), prompt=f"The key is {secret}.")
    path = tmp_path / "a.json"
    brain = FunctionBrain(lambda _: f"I was told {secret}.")
    play_with(path, "record", brain, plans_of(make_test("Hi."), agent), secrets=(secret,))
    assert secret not in path.read_text(encoding="utf-8")
    (run,) = play_with(path, "replay", Nobody(), plans_of(make_test("Hi."), agent), secrets=(secret,))
    assert talk(run)[-1] == ("agent", "I was told [secret].")


def test_a_secret_that_is_part_of_another_is_replaced_the_same_way_each_time(tmp_path: Path) -> None:
    secrets = ("northline", "Bearer northline", "northline-4711")
    tape = Tape(tmp_path / "a.json", "record", secrets)
    turned = Tape(tmp_path / "b.json", "record", secrets[::-1])
    text = "Bearer northline, northline-4711, northline"
    assert tape.scrub(text) == turned.scrub(text) == "[secret], [secret], [secret]"


def test_auto_asks_again_where_a_model_could_not_answer_and_a_replay_does_not(tmp_path: Path) -> None:
    def fail(_: BrainRequest) -> str:
        raise BrainFailed("Set OPENAI_API_KEY.", fault=BrainFault.NO_CREDENTIAL)

    path = tmp_path / "a.json"
    (failed,) = play_with(path, "auto", FunctionBrain(fail), plans_of(make_test("Hi.")))
    assert failed.status == "error"
    assert play_with(path, "replay", Nobody(), plans_of(make_test("Hi.")))[0].error == failed.error
    assert play_with(path, "auto", counting(), plans_of(make_test("Hi.")))[0].status == "passed"
    assert play_with(path, "replay", Nobody(), plans_of(make_test("Hi.")))[0].status == "passed"


def test_tests_of_the_same_name_in_two_places_have_answers_of_their_own(tmp_path: Path) -> None:
    def plans() -> list[Plan]:
        return [replace(plan, place=place) for place in ("a.yaml", "b.yaml") for plan in plans_of(make_test("Hi."))]

    recorded = play_with(tmp_path / "t.json", "record", counting(), plans())
    replayed = play_with(tmp_path / "t.json", "replay", Nobody(), plans()[::-1], concurrency=1)
    assert [talk(run) for run in replayed] == [talk(run) for run in recorded[::-1]]


def test_secrets_are_those_of_agents_accounts_and_the_environment_and_no_ordinary_words() -> None:
    agent = make_agent(
        llm=real_llm(),
        tool_webhook={"url": "https://example.com", "secret": "whsec_abcdef123456"},
        mcp_servers=[{"name": "crm", "url": "https://example.com", "headers": {"Authorization": "Bearer mcp-secret"}}],
    )
    environ = {
        "OPENAI_API_KEY": "sk-proj-aaaaaaaaaaaa1111",
        "KEYBOARD_KEY": "english",
        "PATH": "/usr/bin",
        "LANG": "en_US.UTF-8",
    }
    found = secrets_of([agent, Credential(api_key=SecretStr("account-key"))], environ)
    assert {"whsec_abcdef123456", "mcp-secret", "account-key", "sk-proj-aaaaaaaaaaaa1111"} <= found
    assert not {"english", "/usr/bin", "en_US.UTF-8"} & found


def test_a_credential_is_not_part_of_the_request(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    one = make_agent(llm={"model": "openai:m", "credential": "mine"})
    two = make_agent(llm={"model": "openai:m", "credential": "yours"})
    play_with(path, "record", counting(), plans_of(make_test("Hi."), one))
    assert play_with(path, "replay", Nobody(), plans_of(make_test("Hi."), two))[0].status == "passed"


def test_long_texts_are_stored_once_and_the_file_is_the_same_each_time(tmp_path: Path) -> None:
    agent = make_agent(llm=real_llm(), prompt="A long prompt. " * 100)
    test = make_test("One.", "Two.", "Three.", repeat=3)

    def record(name: str) -> str:
        brain = FunctionBrain(lambda r: f"{r.scope} {len(r.messages)}")
        play_with(tmp_path / name, "record", brain, plans_of(test, agent), concurrency=5)
        return (tmp_path / name).read_text(encoding="utf-8")

    first = record("a.json")
    assert first.count("A long prompt. A long prompt.") <= 50
    assert len(first) < 12 * len(agent.prompt)
    assert record("b.json") == first


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"greenroom_cassette": 99, "texts": {}, "entries": []}', "\xff"])
def test_a_file_that_is_no_cassette_is_refused_with_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UserMistake, match="is no cassette"):
        Tape.open(path, "replay")


def test_a_missing_cassette_says_how_to_record_one(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="--record"):
        Tape.open(tmp_path / "none.json", "replay")


def test_a_replay_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    play_with(path, "record", counting(), plans_of(make_test("Hi.")))
    before = path.read_bytes()
    play_with(path, "replay", Nobody(), plans_of(make_test("Hi.")))
    play_with(path, "auto", Nobody(), plans_of(make_test("Hi.")))
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_scripted_brains_are_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    from greenroom.brains.scripted import ScriptedBrain

    play_with(path, "record", ScriptedBrain(), plans_of(make_test("Hi."), make_agent()))
    assert json.loads(path.read_text(encoding="utf-8"))["entries"] == []


def test_a_miss_is_an_error_of_the_run_not_of_the_model() -> None:
    assert issubclass(CassetteMiss, Exception)
    assert not issubclass(CassetteMiss, BrainFailed)


@pytest.mark.parametrize("text", ["नमस्ते", "emoji 👍🏽", "line\nbreak", 'quote " and \\', "a\u2028b", "x" * 10_000])
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    play_with(path, "record", FunctionBrain(lambda _: text[:4000]), plans_of(make_test("Hi.")))
    (run,) = play_with(path, "replay", Nobody(), plans_of(make_test("Hi.")))
    assert talk(run)[-1] == ("agent", text[:4000].strip())
