"""The tables of the page, played: how runs end, who answers tools, what checks ask, hand-offs, changes, brains."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import text
from tests.support.door_service import DoorService
from tests.support.dvaarik_door import BOOK_SLOT, TEST, Clients, Crowd, scripted
from tests.support.mcp_server import McpTestServer
from tests.support.webhook_receiver import SECRET, Answer, WebhookReceiver

pytestmark = pytest.mark.asyncio(loop_scope="module")

QUICK: dict[str, Any] = {"name": "Quick", "caller_persona": "Ravi", "opening_line": "Hello.", "max_turns": 1}
CHANGES = {"when": "change my booking", "call": {"tool": "book_slot", "arguments": {"day": "Monday"}}}
BOOKED = {"when": {"tool": "book_slot"}, "say": "Monday it is."}


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    """A rule that calls a tool once, at the first words."""
    return {"when": "Hello", "call": {"tool": tool, "arguments": arguments}, "times": 1}


def tool_lines(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [line for line in run["transcript"] if line["role"] == "tool"]


# How a run ended

ENDS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "the agent hangs up": (scripted({"say": "Goodbye.", "hang_up": True}), QUICK, "passed", "agent_hung_up"),
    "the caller hangs up": (
        scripted({"say": "Hello."}, {"role": "caller", "say": "Bye.", "hang_up": True}),
        {**QUICK, "opening_line": None, "max_turns": 3},
        "passed",
        "caller_hung_up",
    ),
    "the turns run out": (scripted({"say": "Hello."}), QUICK, "passed", "turns_ran_out"),
    "a person takes over": (
        scripted(calls("transfer_call"), can_transfer={"to": "+15550100"}),
        QUICK,
        "passed",
        "transferred",
    ),
    "a later call is agreed": (
        scripted(calls("reschedule_call", when="tomorrow"), {"say": "Until tomorrow."}, can_reschedule=True),
        {**QUICK, "max_turns": 3},
        "passed",
        "agent_hung_up",
    ),
    "the run cannot finish": (scripted({"when": "never said", "say": "?"}), QUICK, "error", "error"),
    "a check does not hold": (
        scripted({"say": "Hello."}),
        {**QUICK, "checks": [{"type": "says", "text": "Monday"}]},
        "failed",
        "turns_ran_out",
    ),
}


async def test_a_run_says_how_it_ended(crowd: Crowd) -> None:
    runs = await crowd.played({name: (agent, test) for name, (agent, test, *_) in ENDS.items()})
    for name, (_, _, status, ended_by) in ENDS.items():
        run = runs[name]
        assert (run["status"], run["ended_by"]) == (status, ended_by), name
        assert (run["error"] is not None) == (status == "error"), name
        assert run["error"] is None or run["error"].endswith((".", "!")), name


# Who answered a tool


async def test_a_tool_without_an_answer_of_the_test_s_own_says_ok(clients: Clients) -> None:
    run = await clients.played(scripted(CHANGES, BOOKED), TEST, tool_results={}, checks=[], max_turns=1)
    [line] = tool_lines(run)
    assert (line["source"], line["result"]) == ("canned", {"ok": True})


async def test_a_tool_that_the_agent_lacks_is_refused_and_does_not_count(clients: Clients) -> None:
    checks = [{"type": "never_calls_tool", "tool": "delete_all"}]
    run = await clients.played(scripted(calls("delete_all"), {"say": "I cannot."}), QUICK, checks=checks)
    [line] = tool_lines(run)
    assert (line["source"], "reason" in line) == ("refused", False)
    assert run["status"] == "passed"


async def test_knowledge_is_searched_for_real(clients: Clients) -> None:
    knowledge = {"documents": [{"name": "Hours", "text": "Open from nine to five."}], "inline_limit": 0}
    agent = scripted(calls("search_knowledge_base", query="open"), {"say": "Nine to five."}, knowledge=knowledge)
    [line] = tool_lines(await clients.played(agent, QUICK))
    assert line["source"] == "knowledge"
    assert line["result"]["passages"][0]["text"] == "Open from nine to five."


async def test_with_the_switch_on_the_agent_s_webhook_is_called_signed_and_marked(clients: Clients) -> None:
    async with WebhookReceiver(Answer({"slot": "Tuesday"})) as receiver:
        agent = scripted(CHANGES, BOOKED, tool_webhook={"url": receiver.url, "secret": SECRET})
        canned = await clients.played(agent, TEST, max_turns=1, checks=[])
        assert tool_lines(canned)[0]["source"] == "canned"
        assert receiver.requests == [], "by default nothing is called"
        run = await clients.played(
            agent, TEST, use_real_tool_webhook=True, max_turns=1, checks=[{"type": "calls_tool", "tool": "book_slot"}]
        )
        [line] = tool_lines(run)
        assert (line["source"], line["result"], "reason" in line) == ("webhook", {"slot": "Tuesday"}, False)
        assert run["status"] == "passed"
        [request] = receiver.requests
    assert request.signed
    assert request.headers["X-Dvaarik-Test"] == "true"
    assert "X-Greenroom-Test" not in request.headers
    assert request.json["test"] is True
    assert (request.json["tool"], request.json["arguments"]) == ("book_slot", {"day": "Monday"})
    assert (request.json["run_id"], request.json["variables"]["company"]) == (run["id"], "Northline Dental")


FAILURES: dict[str, tuple[Answer, str]] = {
    "a status": (Answer({"error": "no"}, status=500), "bad_status"),
    "a page": (Answer(b"<html>"), "bad_body"),
    "too much": (Answer({"text": "x" * 70_000}), "too_large"),
    "nothing": (Answer(misbehave="reset"), "unreachable"),
}


async def test_a_webhook_that_fails_adds_a_stable_reason(crowd: Crowd) -> None:
    test = {**TEST, "use_real_tool_webhook": True, "max_turns": 1, "checks": []}
    async with AsyncExitStack() as stack:
        cases: dict[str, tuple[Any, Any]] = {}
        for name, (answer, _) in FAILURES.items():
            receiver = await stack.enter_async_context(WebhookReceiver(answer))
            webhook = {"url": receiver.url, "secret": SECRET}
            cases[name] = (scripted(CHANGES, BOOKED, tool_webhook=webhook), test)
        runs = await crowd.played(cases)
    for name, (_, reason) in FAILURES.items():
        [line] = tool_lines(runs[name])
        assert (line["source"], line["reason"], runs[name]["status"]) == ("webhook", reason, "passed"), name


async def test_real_tools_without_url_and_secret_stop_the_run_with_a_sentence(crowd: Crowd) -> None:
    webhooks: dict[str, Any] = {
        "none": None,
        "no secret": {"url": "https://example.com/hook"},
        "no url": {"secret": SECRET},
    }
    test = {**QUICK, "use_real_tool_webhook": True}
    talks = {name: scripted({"say": "I call nothing."}, tool_webhook=each) for name, each in webhooks.items()}
    runs = await crowd.played({name: (agent, test) for name, agent in talks.items()})
    for name, run in runs.items():
        assert (run["status"], run["ended_by"], run["transcript"]) == ("error", "error", []), name
        assert "tool webhook has no URL or no signing secret" in run["error"]
        assert run["input_tokens"] == 0


async def test_an_mcp_server_is_answered_by_the_test_or_called_for_real_without_a_webhook(clients: Clients) -> None:
    async with McpTestServer() as server:
        agent = await clients.agent(
            scripted(
                calls("crm__echo", text="Ravi"),
                {"say": "Found."},
                tools=[],
                mcp_servers=[{"name": "crm", "url": server.url}],
            )
        )
        checks = [{"type": "calls_tool", "tool": "crm__echo", "arguments": ["text"]}]
        for results, answer in (({}, {"ok": True}), ({"crm__echo": {"id": 7}}, {"id": 7})):
            run = await clients.played(agent, QUICK, tool_results=results, checks=checks)
            [line] = tool_lines(run)
            assert (line["name"], line["source"], line["result"]) == ("crm__echo", "canned", answer)
            assert run["status"] == "passed"
        assert not any("x-dvaarik-test" in headers for headers in server.headers), "nothing was called"
        run = await clients.played(agent, QUICK, use_real_tool_webhook=True, checks=checks)
        [line] = tool_lines(run)
        assert (line["source"], line["result"], run["status"]) == ("mcp", {"result": "Ravi"}, "passed")
        assert {headers["x-dvaarik-test"] for headers in server.headers if "x-dvaarik-test" in headers} == {"true"}


# What checks ask

WORDS = "You are booked for   MONDAY\nat ten."
CHECKS: dict[str, tuple[dict[str, Any], bool]] = {
    "says, whatever the capitals and spaces": ({"type": "says", "text": "booked for monday at"}, True),
    "says what was not said": ({"type": "says", "text": "Sunday"}, False),
    "never says what was not said": ({"type": "never_says", "text": "guarantee"}, True),
    "never says what was said": ({"type": "never_says", "text": "monday"}, False),
    "calls the tool": ({"type": "calls_tool", "tool": "book_slot"}, True),
    "calls it with an argument": ({"type": "calls_tool", "tool": "book_slot", "arguments": ["day"]}, True),
    "calls it with one that was not given": (
        {"type": "calls_tool", "tool": "book_slot", "arguments": ["day", "hour"]},
        False,
    ),
    "calls another tool": ({"type": "calls_tool", "tool": "cancel_slot"}, False),
    "never calls another tool": ({"type": "never_calls_tool", "tool": "cancel_slot"}, True),
    "never calls the tool": ({"type": "never_calls_tool", "tool": "book_slot"}, False),
    "ends the call": ({"type": "ends_call"}, True),
    "the judge says yes": ({"type": "judge", "question": "Was it polite?"}, True),
    "the judge says no": ({"type": "judge", "question": "Was it short?"}, False),
}


async def test_every_kind_of_check_holds_when_the_page_says(clients: Clients) -> None:
    agent = await clients.agent(
        scripted(
            CHANGES,
            {"when": {"tool": "book_slot"}, "say": WORDS, "hang_up": True},
            {"role": "judge", "when": "short", "answer": "no", "reason": "It went on\nand on."},
            tools=[BOOK_SLOT, {"name": "cancel_slot"}],
        )
    )
    cases = list(CHECKS.values())
    for some in (cases[:7], cases[7:]):
        run = await clients.played(agent, TEST, checks=[check for check, _ in some])
        told = run["check_results"]
        assert [result["passed"] for result in told] == [holds for _, holds in some]
        assert [{name: result[name] for name in check} for (check, _), result in zip(some, told, strict=True)] == [
            check for check, _ in some
        ]
        assert all(result["detail"] and "\n" not in result["detail"] for result in told)
        assert (run["status"], run["total_checks"]) == ("failed", len(some))
        assert run["passed_checks"] == sum(holds for _, holds in some)


async def test_a_hang_up_of_the_caller_is_none_of_the_agent_s(clients: Clients) -> None:
    agent = scripted({"say": "Hello."}, {"role": "caller", "say": "Bye.", "hang_up": True})
    run = await clients.played(agent, QUICK, opening_line=None, checks=[{"type": "ends_call"}])
    assert (run["status"], run["check_results"][0]["passed"]) == ("failed", False)


async def test_a_turn_that_is_too_long_is_cut_and_marked(clients: Clients) -> None:
    run = await clients.played(scripted({"say": "word " * 1000}), QUICK)
    [line] = [line for line in run["transcript"] if line["role"] == "agent" and line["turn"] == 1]
    assert (line["truncated"], len(line["text"])) == (True, 4000)
    assert run["transcript"][0]["truncated"] is False


# Hand-offs


async def test_a_hand_off_moves_the_talk_to_the_other_agent_and_its_tools(clients: Clients) -> None:
    async with WebhookReceiver(Answer({"paid": True})) as receiver:
        billing = await clients.agent(
            {
                "name": "Billing",
                "prompt": "You take payments.",
                "tools": [{"name": "pay"}],
                "tool_webhook": {"url": receiver.url, "secret": SECRET},
                "llm": {
                    "model": "scripted:billing",
                    "script": [{"when": {"tool": "pay"}, "say": "It is paid."}, {"call": {"tool": "pay"}}],
                },
            }
        )
        agent = await clients.agent(
            scripted(
                calls("hand_off_to_agent", agent="Billing", reason="a payment"),
                tools=[],
                can_hand_off=[billing.rpartition("/")[2]],
            )
        )
        checks = [{"type": "calls_tool", "tool": "hand_off_to_agent"}, {"type": "calls_tool", "tool": "pay"}]
        run = await clients.played(agent, QUICK, checks=checks)
        assert receiver.requests == []
        real = await clients.played(agent, QUICK, checks=checks, use_real_tool_webhook=True)
        assert len(receiver.requests) == 1
    for each, source in ((run, "canned"), (real, "webhook")):
        handed, paid = tool_lines(each)
        assert (handed["name"], handed["source"], paid["source"]) == ("hand_off_to_agent", "handoff", source)
        speakers = [line["agent"] for line in each["transcript"] if line["role"] == "agent"]
        assert speakers == ["Front desk", "Billing"]
        assert each["status"] == "passed"
    usage = (await clients.native.get(f"/v1/runs/{real['id']}")).json()["usage"]
    assert {entry["model"] for entry in usage if entry["role"] == "agent"} == {"desk", "billing"}
    assert real["input_tokens"] == sum(entry["input_tokens"] for entry in usage)
    assert real["output_tokens"] == sum(entry["output_tokens"] for entry in usage)


async def test_a_hand_off_that_cannot_happen_is_refused_and_does_not_count(clients: Clients) -> None:
    agent = scripted(
        calls("hand_off_to_agent", agent="Nobody"),
        {"say": "I stay."},
        can_hand_off=["agt_00000000000000000000000000"],
    )
    run = await clients.played(agent, QUICK, checks=[{"type": "calls_tool", "tool": "hand_off_to_agent"}])
    [line] = tool_lines(run)
    assert (line["source"], line["result"]) == ("refused", {"error": "There is no agent named Nobody to hand over to."})
    assert (run["status"], run["check_results"][0]["passed"]) == ("failed", False)


async def test_an_agent_that_takes_over_needs_a_webhook_for_its_own_actions(clients: Clients) -> None:
    await clients.agent(scripted({"say": "Hello."}, name="Bare", tools=[{"name": "pay"}]))
    agent = scripted(calls("hand_off_to_agent", agent="Bare"), tools=[], can_hand_off=["Bare"])
    run = await clients.played(agent, QUICK, use_real_tool_webhook=True)
    assert run["status"] == "error"
    assert "The agent Bare cannot call pay for real" in run["error"]


# Changes that are tried


async def test_a_greeting_and_variables_are_tried_in_the_place_of_the_agent_s(clients: Clients) -> None:
    agent = await clients.agent(scripted({"say": "Hello."}, greeting="{{company}} in {{city}}."))
    test = await clients.test(agent, QUICK)
    tried: list[dict[str, Any]] = [
        {"greeting": "Good morning from {{city}}."},
        {"variables": {"company": "Northline", "city": "Delhi", "floor": 2}},
        {"variables": {"city": "Delhi"}},
        {"greeting": "{{floor}}", "variables": {"floor": 2}},
    ]
    started = [await clients.started(test, {"overrides": overrides}) for overrides in tried]
    runs = [await clients.over(run) for run in started]
    assert {(run["overrides_used"], run["agent_version"]) for run in runs} == {(True, 1)}
    said = [run["transcript"][0]["text"] for run in runs]
    assert said == ["Good morning from Pune.", "Northline in Delhi.", "{{company}} in Delhi.", "2"]
    native = (await clients.native.get(f"/v1/agents/{agent.rpartition('/')[2]}")).json()
    assert native["greeting"] == "{{company}} in {{city}}."
    assert (native["variables"], native["version"]) == ({"company": "Northline", "city": "Pune"}, 1)


async def test_no_greeting_lets_the_brain_open_the_talk(clients: Clients) -> None:
    test = await clients.test(await clients.agent(scripted({"say": "The brain opens."})), QUICK)
    run = await clients.over(await clients.started(test, {"overrides": {"greeting": None}}))
    assert run["transcript"][0]["text"] == "The brain opens."


async def test_other_tools_are_tried_and_the_tests_must_fit_them(clients: Clients) -> None:
    agent = await clients.agent(scripted(calls("cancel_slot"), {"say": "Done."}))
    test = await clients.test(agent, QUICK, checks=[{"type": "never_calls_tool", "tool": "book_slot"}])
    run = await clients.over(await clients.started(test, {"overrides": {"tools": [{"name": "cancel_slot"}]}}))
    assert tool_lines(run)[0]["source"] == "canned"
    booked = await clients.test(agent, QUICK, checks=[{"type": "calls_tool", "tool": "book_slot"}])
    refused = await clients.door.post(f"{booked}/run", json={"overrides": {"tools": []}})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("The test `Quick`: `Front desk` has no tool `book_slot`")


async def test_changes_are_kept_no_longer_than_the_run(clients: Clients, service: DoorService) -> None:
    secret = "a prompt that is nobody's business"
    test = await clients.test(await clients.agent(scripted({"say": "Hello."})), QUICK)
    await clients.over(await clients.started(test, {"overrides": {"prompt": secret}}))
    async with service.context.database.reading() as session:
        tables = (await session.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'"))).scalars().all()
        kept = {name: str((await session.execute(text(f'SELECT * FROM "{name}"'))).all()) for name in tables}
    assert "run_records" in kept
    assert [name for name, rows in kept.items() if secret in rows] == []
    assert kept["run_materials"] == "[]"


async def test_a_draft_that_was_not_published_is_not_what_is_tested(clients: Clients) -> None:
    agent = await clients.agent(scripted({"say": "Hello."}))
    native = f"/v1/agents/{agent.rpartition('/')[2]}"
    await clients.native.patch(f"{native}/draft", json={"greeting": "The draft."})
    run = await clients.played(agent, QUICK)
    assert (run["transcript"][0]["text"], run["agent_version"]) == ("Northline, this is Maya.", 1)
    await clients.native.post(f"{native}/publish", json={})
    run = await clients.played(agent, QUICK)
    assert (run["transcript"][0]["text"], run["agent_version"]) == ("The draft.", 2)


# The backup brain


async def test_lines_of_the_backup_brain_are_marked_when_the_main_brain_really_failed(clients: Clients) -> None:
    backup = {"model": "scripted:backup", "script": [{"say": "The backup answers."}]}
    agent = scripted({"when": "never said", "say": "?"}, llm_fallback=backup)
    run = await clients.played(agent, QUICK)
    assert (run["status"], run["force_primary_failure"]) == ("passed", False)
    line = run["transcript"][-1]
    assert (line["text"], line["fallback"]) == ("The backup answers.", True)


async def test_a_backup_brain_whose_account_cannot_be_used_ends_the_run_with_a_sentence(clients: Clients) -> None:
    agent = await clients.agent(scripted({"say": "Hello."}, llm_fallback={"model": "openai:gpt-4.1-mini"}))
    test = await clients.test(agent, QUICK)
    run = await clients.over(await clients.started(test, {"force_primary_failure": True}))
    assert (run["status"], run["ended_by"]) == ("error", "error")
    assert run["error"].startswith("The backup brain failed: ")


async def test_texts_of_all_scripts_are_told_as_they_were_sent(clients: Clients) -> None:
    words = "नमस्ते 🙂 e\u0301 שלום \u200b 你好"
    run = await clients.played(scripted({"say": words}), QUICK, opening_line=words, variables={"company": words})
    assert [line["text"] for line in run["transcript"]] == [f"{words}, this is Maya.", words, words]
    assert json.dumps(run)
