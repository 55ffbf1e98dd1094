"""The tools of the MCP server: a thin layer over the native API."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, Literal

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from greenroom.grade.comparison import compare as compare_runs
from greenroom.report.results import greenroom_version
from greenroom.server.mcp.api import Api
from greenroom.server.mcp.explaining import explain, run_of

Calling = Context[Any, Any]
ApiOf = Callable[[Calling], AbstractAsyncContextManager[Api]]
"""The API, as whoever calls a tool may use it."""

AgentWord = Annotated[str, Field(description="The agent's id (`agt_…`), or its name.", max_length=200)]
TestIds = Annotated[list[str] | None, Field(description="Ids of tests; without these and tags, every test.")]
Tags = Annotated[list[str] | None, Field(description="Only tests with all of these tags.")]
Cursor = Annotated[str | None, Field(description="The `next_cursor` of the page before.")]
Limit = Annotated[int, Field(ge=1, le=200)]
Status = Literal["queued", "running", "passed", "failed", "error", "cancelled"]

LONGEST_WAIT = 3600
_LOOK_EVERY = 0.5
_INSTRUCTIONS = (
    "Greenroom tests conversational agents: a model plays the caller, the agent answers with its real prompt, model "
    "and tools, and checks and a judge decide. Usual way: list_agents, list_tests (or generate_tests), run_tests with "
    "wait, explain_failure for each run that failed, change the agent's prompt, and compare."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_ASKS_MODELS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)


def make_server(api_of: ApiOf) -> MCPServer:
    """The MCP server, with the API that `api_of` gives."""
    server = MCPServer("greenroom", title="Greenroom", instructions=_INSTRUCTIONS, version=greenroom_version())
    tools = Tools(api_of)
    reading = (tools.list_agents, tools.show_agent, tools.list_tests, tools.list_runs, tools.read_run)
    for tool in (*reading, tools.read_batch, tools.explain_failure, tools.compare):
        server.add_tool(tool, annotations=_READS, structured_output=True)
    for tool in (tools.create_test, tools.stop_run):
        server.add_tool(tool, annotations=_WRITES, structured_output=True)
    for tool in (tools.generate_tests, tools.run_tests):
        server.add_tool(tool, annotations=_ASKS_MODELS, structured_output=True)
    return server


class Tools:
    """What the server can do. The docstrings are what models read."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    async def list_agents(self, ctx: Calling, limit: Limit = 50, cursor: Cursor = None) -> dict[str, Any]:
        """List the project's agents, the newest first."""
        async with self._api_of(ctx) as api:
            return await api.get("/v1/agents", limit=limit, cursor=cursor)

    async def show_agent(self, ctx: Calling, agent: AgentWord) -> dict[str, Any]:
        """Show an agent as it is being edited: its prompt, model, tools and knowledge. Secrets are never shown."""
        async with self._api_of(ctx) as api:
            return await api.get(f"/v1/agents/{await _agent_id(api, agent)}/draft")

    async def list_tests(
        self, ctx: Calling, agent: AgentWord, tags: Tags = None, limit: Limit = 50, cursor: Cursor = None
    ) -> dict[str, Any]:
        """List the tests of an agent, the newest first."""
        async with self._api_of(ctx) as api:
            path = f"/v1/agents/{await _agent_id(api, agent)}/tests"
            return await api.get(path, tag=tags, limit=limit, cursor=cursor)

    async def create_test(
        self,
        ctx: Calling,
        agent: AgentWord,
        test: Annotated[
            dict[str, Any],
            Field(
                description="The test: `name`; `caller` with a `persona` (and `opening_line`, `facts`), or `messages`, "
                "or `history`; `checks`, such as {type: says, text}, {type: never_says, text}, {type: calls_tool, "
                "tool, arguments}, {type: judge, question}, {type: criterion, text}; and `max_turns`, `variables`, "
                "`tool_results`, `tags`."
            ),
        ],
    ) -> dict[str, Any]:
        """Make a test of an agent."""
        async with self._api_of(ctx) as api:
            return await api.post(f"/v1/agents/{await _agent_id(api, agent)}/tests", test)

    async def generate_tests(
        self,
        ctx: Calling,
        agent: AgentWord,
        count: Annotated[int, Field(ge=1, le=20)] = 5,
        focus: Annotated[str | None, Field(description="What the tests are to be about.")] = None,
        transcript: Annotated[
            str | None, Field(description="A real call to draft from: lines `Agent: …` and `Caller: …`.")
        ] = None,
        run_id: Annotated[str | None, Field(description="A run that failed, to draft from.")] = None,
        save: Annotated[bool, Field(description="Keep the tests with the agent at once.")] = False,
    ) -> dict[str, Any]:
        """Have a model draft tests: from the agent's prompt, from a real call, or from a run that failed."""
        wish = {"count": count, "focus": focus, "transcript": transcript, "run_id": run_id, "save": save}
        async with self._api_of(ctx) as api:
            path = f"/v1/agents/{await _agent_id(api, agent)}/tests/generate"
            await ctx.report_progress(0, 1, f"Drafting {count} tests")
            drafted = await api.post(path, wish)
            await ctx.report_progress(1, 1, f"{len(drafted['tests'])} tests drafted")
            return drafted

    async def run_tests(
        self,
        ctx: Calling,
        agent: AgentWord,
        test_ids: TestIds = None,
        tags: Tags = None,
        repeat: Annotated[int | None, Field(ge=1, le=1000, description="How often each test is played.")] = None,
        target: Annotated[
            Literal["draft", "published"] | int | None, Field(description="Which state of the agent is played.")
        ] = None,
        overrides: Annotated[
            dict[str, Any] | None, Field(description="Changes of the agent for these runs alone, such as {prompt: …}.")
        ] = None,
        variants: Annotated[
            list[dict[str, Any]] | None,
            Field(description="States to compare: [{name, target, overrides}, …]; then call `compare`."),
        ] = None,
        wait: Annotated[bool, Field(description="Answer when all runs are over; else at once.")] = True,
        seconds: Annotated[int, Field(ge=1, le=LONGEST_WAIT, description="The longest to wait.")] = 600,
    ) -> dict[str, Any]:
        """Play tests against an agent. While waiting, progress is told. The answer has `is_over`, the counts by status
        and the runs; read one with `read_run`, or ask `explain_failure` why it failed."""
        wanted = {
            "test_ids": test_ids,
            "tags": tags,
            "repeat": repeat,
            "target": target,
            "overrides": overrides,
            "variants": variants,
        }
        async with self._api_of(ctx) as api:
            started = await api.post(f"/v1/agents/{await _agent_id(api, agent)}/runs", wanted)
            return await _watch(api, ctx, started["batch_id"], seconds if wait else 0)

    async def read_batch(
        self,
        ctx: Calling,
        batch_id: str,
        seconds: Annotated[int, Field(ge=0, le=LONGEST_WAIT, description="How long to wait for its end.")] = 0,
    ) -> dict[str, Any]:
        """Show what `run_tests` started and how far it is; with `seconds`, wait for its end."""
        async with self._api_of(ctx) as api:
            return await _watch(api, ctx, batch_id, seconds)

    async def list_runs(
        self,
        ctx: Calling,
        agent: AgentWord | None = None,
        status: list[Status] | None = None,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """List runs, the newest first, without their talks."""
        async with self._api_of(ctx) as api:
            agent_id = None if agent is None else await _agent_id(api, agent)
            return await api.get("/v1/runs", agent_id=agent_id, status=status, limit=limit, cursor=cursor)

    async def read_run(self, ctx: Calling, run_id: str) -> dict[str, Any]:
        """Read a run: its talk line by line, its checks and their reasons, and what it used."""
        async with self._api_of(ctx) as api:
            return await api.get(f"/v1/runs/{_id(run_id)}")

    async def explain_failure(self, ctx: Calling, run_id: str) -> dict[str, Any]:
        """Tell why a run failed: each check that does not hold, why, and the lines of the talk that it rests on."""
        async with self._api_of(ctx) as api:
            return explain(run_of(await api.get(f"/v1/runs/{_id(run_id)}")))

    async def compare(
        self,
        ctx: Calling,
        first: Annotated[str, Field(description="A batch (`bat_…`).")],
        second: Annotated[
            str | None, Field(description="Another batch; without it, the two variants of the first.")
        ] = None,
    ) -> dict[str, Any]:
        """Compare two batches of the same tests, or the two variants of one batch: what differs, and how sure that
        is."""
        async with self._api_of(ctx) as api:
            one = await api.get(f"/v1/batches/{_id(first)}")
            two = None if second is None else await api.get(f"/v1/batches/{_id(second)}")
        runs = [run_of(each) for each in one["runs"]]
        if two is None:
            names = list(dict.fromkeys(run.variant for run in runs if run.variant is not None))
            if len(names) != 2:
                raise ToolError(f"The batch has {len(names)} variants, not two: name a second batch to compare with.")
        else:
            names = ["first", "second"]
            runs = [run.model_copy(update={"variant": names[0]}) for run in runs]
            runs += [run_of(each).model_copy(update={"variant": names[1]}) for each in two["runs"]]
        return compare_runs(runs, names[0], names[1]).model_dump(mode="json")

    async def stop_run(self, ctx: Calling, run_id: str) -> dict[str, Any]:
        """Stop a run that waits or plays."""
        async with self._api_of(ctx) as api:
            return await api.post(f"/v1/runs/{_id(run_id)}/cancel", {})


async def _watch(api: Api, ctx: Calling, batch_id: str, seconds: float) -> dict[str, Any]:
    """A batch, once it is over or `seconds` have passed; how far it is, is told on the way."""
    until, told = time.monotonic() + seconds, -1
    while True:
        batch = await api.get(f"/v1/batches/{_id(batch_id)}")
        counts: dict[str, int] = batch["counts"]
        total = sum(counts.values())
        done = total - counts.get("queued", 0) - counts.get("running", 0)
        if seconds and done > told:
            told = done
            words = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
            await ctx.report_progress(done, total, words)
        left = until - time.monotonic()
        if batch["is_over"] or left <= 0:
            return batch
        await anyio.sleep(min(_LOOK_EVERY, left))


async def _agent_id(api: Api, word: str) -> str:
    """The id of the agent that goes by a word.

    Raises:
        ToolError: there is none of this name, or more than one.
    """
    if word.startswith("agt_"):
        return _id(word)
    found: list[str] = []
    cursor: str | None = None
    folded = word.strip().casefold()
    while True:
        page = await api.get("/v1/agents", limit=200, cursor=cursor)
        found += [each["id"] for each in page["items"] if str(each["name"]).strip().casefold() == folded]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    if len(found) == 1:
        return found[0]
    if found:
        raise ToolError(f"There are {len(found)} agents named `{word}`: name one by its id, {' or '.join(found)}.")
    raise ToolError(f"There is no agent named `{word}`: list_agents shows those that there are.")


def _id(text: str) -> str:
    """An id as part of a path.

    Raises:
        ToolError: it cannot be one.
    """
    if not text or not text.isascii() or not text.replace("_", "").isalnum():
        raise ToolError(f"`{text}` is no id: ids look like run_01jq0m3v9a4n6r8t2w5y7z1b3d.")
    return text
