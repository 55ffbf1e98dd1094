"""What this door asks of the rooms: tests that its shape can carry, their runs, functions, and drafts."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from greenroom.model.agent import Agent, McpTool, Tool
from greenroom.model.case import Test
from greenroom.model.errors import Problem
from greenroom.server.agents import service as agents
from greenroom.server.content import READ_ONLY
from greenroom.server.context import Context
from greenroom.server.doors.evasay.mapping import body_of, door_path, told_draft, told_test
from greenroom.server.doors.evasay.policy import NAME, RULES, credits_for, policy_of
from greenroom.server.doors.evasay.schemas import AnyTest, GenerateBody, RunsBody, ToolBody, Type
from greenroom.server.doors.evasay.talks import LANGUAGES, told_run, told_whole_run
from greenroom.server.drafts import service as drafts
from greenroom.server.drafts.schemas import DraftWish
from greenroom.server.drafts.service import House
from greenroom.server.problems import Invalid, NotFound
from greenroom.server.reaching import Reach
from greenroom.server.runs import service as runs
from greenroom.server.runs.requesting import Desk
from greenroom.server.runs.schemas import RunsWanted, TryWanted
from greenroom.server.security.who import Access
from greenroom.server.tests import service as tests
from greenroom.server.tests.service import Kept

_NO_TEST = "This agent has no such test."
_NO_RUN = "There is no test run with this id."
_NO_TOOL = "There is no function with this id: it is the id of an agent, a dot, and the name of one of its functions."


@dataclass(frozen=True, slots=True)
class Carried:
    """A test that this door can show, in its shape."""

    kept: Kept
    body: AnyTest


# Tests


async def carried_tests(context: Context, access: Access, agent_id: str) -> list[Carried]:
    """The tests of an agent that this door can show, in the order in which they were made.

    Raises:
        NotFound: there is no such agent in this project.
    """
    found = ((kept, body_of(kept.test)) for kept in await tests.load(context, access, agent_id))
    return [Carried(kept, body) for kept, body in found if body is not None]


async def carried_test(context: Context, access: Access, agent_id: str, test_id: str) -> Carried:
    """One of them.

    Raises:
        NotFound: there is no such agent or test in this project, or the door cannot show it.
    """
    kept = await tests.load_one(context, access, agent_id, test_id)
    body = body_of(kept.test)
    if body is None:
        raise NotFound(_NO_TEST)
    return Carried(kept, body)


async def tell_test(context: Context, access: Access, agent_id: str, test_id: str) -> dict[str, Any]:
    """A test as it is answered."""
    carried = await carried_test(context, access, agent_id, test_id)
    return told_test(agent_id, carried.kept, carried.body)


@contextmanager
def told_of_a_test() -> Generator[None]:
    """What the room finds wrong in a test is told at the fields of this door's body."""
    try:
        yield
    except Invalid as refused:
        raise Invalid([Problem(door_path(each.path), each.message) for each in refused.errors]) from None


# Runs


async def start(desk: Desk, access: Access, agent_id: str, wanted: RunsBody) -> dict[str, Any]:
    """Start a run of each test, or of those that are named, as far as they can be paid.

    Raises:
        NotFound: there is no such agent, or a named test is not there.
        Invalid: there are no tests, or one does not fit the agent any more.
        Conflict: too many runs wait or play.
        CannotPay: not even the first can be paid.
    """
    carried = await carried_tests(desk.context, access, agent_id)
    chosen = _choose(carried, wanted.test_ids)
    types: dict[str, Type] = {each.kept.id: each.body.type for each in chosen}
    asked = RunsWanted(
        test_ids=[*types],
        target="draft",
        reason_language=LANGUAGES[wanted.reason_language],
        as_far_as_paid=True,
    )
    try:
        answer, _ = await desk.start(access, agent_id, asked, desk.policies.find(NAME))
    except Invalid as refused:
        # No field of the request is to blame for a test that does not fit its agent any more.
        raise Invalid(refused.errors[0].message) from None
    settings = desk.context.settings
    return {
        "runs": [told_run(run, types[run["test_id"]], settings) for run in answer["runs"]],
        "not_started": [each["test_id"] for each in answer["not_started"]],
    }


def _choose(carried: Sequence[Carried], wanted: Sequence[str] | None) -> list[Carried]:
    if wanted is None:
        if not carried:
            raise Invalid("This agent has no tests: make one first.")
        return [*carried]
    known = {each.kept.id: each for each in carried}
    for test_id in wanted:
        if test_id not in known:
            raise NotFound(f"This agent has no test `{test_id[:100]}`.")
    return [known[test_id] for test_id in dict.fromkeys(wanted)]


async def find_run(context: Context, access: Access, run_id: str) -> dict[str, Any]:
    """A run of a test that this door can show.

    Raises:
        NotFound: there is none of this id in the project.
    """
    run = await runs.show(context, access.project_id, run_id)
    told = told_whole_run(run, context.settings)
    if told is None or run["test_id"] is None:
        raise NotFound(_NO_RUN)
    await carried_test(context, access, run["agent_id"], run["test_id"])
    return told


# Functions


async def list_tools(context: Context, access: Access, agent_id: str) -> list[dict[str, Any]]:
    """The functions of an agent's draft; those of MCP servers as far as they are written down.

    Raises:
        NotFound: there is no such agent in this project.
    """
    agent = (await agents.load(context, access, agent_id, "draft")).agent
    return [
        {
            "id": f"{agent_id}.{name}",
            "name": name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        for name, tool in _functions(agent)
    ]


async def try_tool(desk: Desk, access: Access, tool_id: str, wanted: ToolBody) -> dict[str, Any]:
    """Call a function for real.

    Raises:
        NotFound: there is no such function in this project.
        Invalid: the arguments do not fit, or the agent lacks what the call needs.
    """
    agent_id, dot, name = tool_id.partition(".")
    if not dot:
        raise NotFound(_NO_TOOL)
    answer = await desk.try_tool(access, agent_id, name, TryWanted(arguments=wanted.arguments, target="draft"))
    status, result = answer["status"], answer["result"]
    match result:
        case {"error": str(words), **rest} if not answer["ok"] and not rest:
            response, error = None, words
        case {"status": int(code), "result": response, **rest} if code == status and not rest:
            error = None if answer["ok"] else f"The service answered with status {status}."
        case _:
            response, error = result, None if answer["ok"] else "The function answered that it failed."
    return {
        "ok": answer["ok"],
        "status": status,
        "response": response,
        "error": error,
        "duration_ms": answer["latency_ms"],
    }


def _functions(agent: Agent) -> Iterator[tuple[str, Tool | McpTool]]:
    yield from ((tool.name, tool) for tool in agent.tools if tool.enabled)
    for server in agent.mcp_servers:
        yield from ((f"{server.name}__{tool.name}", tool) for tool in server.tools or ())


# Drafts


async def generate(
    context: Context, reach: Reach, access: Access, agent_id: str, wanted: GenerateBody
) -> dict[str, Any]:
    """Have a model draft tests, and keep them where that is asked for.

    Raises:
        NotFound, Invalid, Conflict, CannotPay, NothingDrafted: as for `drafts.draft`.
    """
    agent = (await agents.load(context, access, agent_id, "draft")).agent
    wish = DraftWish(
        count=wanted.count,
        kinds=[*_types(agent, wanted.types)],
        plain=True,
        focus=wanted.focus,
        language=LANGUAGES[wanted.language] if wanted.language else None,
        save=wanted.save,
    )
    house = House(policy_of(context.settings), RULES)
    answer = await drafts.draft(context, reach, access, agent_id, wish, house)
    dropped: list[str] = [*answer["dropped"]]
    told: list[dict[str, Any]] = []
    for made in answer["tests"]:
        test = Test.model_validate({name: value for name, value in made.items() if name not in READ_ONLY})
        body = body_of(test)
        if body is None:
            dropped.append(f"{test.name}: it has more than a test here may have")
        elif wanted.save:
            told.append(await tell_test(context, access, agent_id, made["id"]))
        else:
            told.append(told_draft(body))
    credits = credits_for(context.settings, answer["charged"])
    return {"tests": told, "dropped": dropped, "credits": credits}


def _types(agent: Agent, wanted: Sequence[Type] | None) -> list[Type]:
    """The types to draft: those that are wanted, or all that fit the agent."""
    can_call = any(_functions(agent)) or agent.can_end_call or agent.can_transfer or agent.can_hand_off
    if wanted is None:
        return ["simulation", "next_reply", *(["tool_call"] if can_call else [])]
    if "tool_call" in wanted and not can_call:
        message = f"{agent.name} has no function to call, so that no test of the type `tool_call` fits it"
        raise Invalid([Problem(("types",), message)])
    return list(dict.fromkeys(wanted))
