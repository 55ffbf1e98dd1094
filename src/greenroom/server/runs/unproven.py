"""What is true of an agent that a reply played at once cannot prove: one sentence each, so that a reply that went well
is never taken for more than it is."""

from __future__ import annotations

from collections.abc import Iterator

from greenroom.model.agent import ENGINE_TOOLS, MEMORY_TOOLS, Agent
from greenroom.model.case import ToolMode
from greenroom.model.placeholders import places
from greenroom.model.run import Run, ToolLine
from greenroom.play.offers import ACTING_KINDS, own_tools


def unproven(agent: Agent, tools: ToolMode, run: Run) -> Iterator[str]:
    """What the reply `run` of an agent leaves open, beside what the run itself warns of. `tools` is how its tool calls
    were answered."""
    if tools == "plan":
        yield from _not_run(agent)
    if tools == "real":
        yield from _run_for_real(run)
    yield from _run_elsewhere(agent, run)
    for name in dict.fromkeys(name for name in places(agent.prompt) if "." in name):
        yield (
            f"The prompt of {agent.name} uses {{{{{name}}}}}, which only a real conversation can fill in: it stayed as "
            "written."
        )
    if agent.memory_tools:
        names = ", ".join(sorted(MEMORY_TOOLS))
        yield f"The memory tools of {agent.name} ({names}) have nobody to write about here: nothing of it is kept."


def _not_run(agent: Agent) -> Iterator[str]:
    offered = [name for name, tool in own_tools(agent, ()).items() if tool.kind in ACTING_KINDS]
    offered += [f"those of the MCP server {server.name}" for server in agent.mcp_servers]
    if offered:
        names = ", ".join(offered)
        yield f"Tools were offered to the model and none is run, so that the reply stops where it picks one: {names}."


def _run_for_real(run: Run) -> Iterator[str]:
    called = [line for line in _calls(run) if line.source in ("webhook", "mcp") and line.reason != "bad_arguments"]
    if called:
        yield f"Tools ran for real, with all that they cost and change: {_names(called)}."
    failed = [line for line in _calls(run) if line.reason is not None]
    if failed:
        yield f"Tools failed, and the agent answered around it: {_names(failed)}."


def _run_elsewhere(agent: Agent, run: Run) -> Iterator[str]:
    done = [line for line in _calls(run) if line.source == "recorded" and line.name not in ENGINE_TOOLS]
    if agent.remote is not None and done:
        yield f"The agent {agent.name} lives elsewhere and ran tools by itself: {_names(done)}."


def _calls(run: Run) -> list[ToolLine]:
    return [line for line in run.transcript if isinstance(line, ToolLine)]


def _names(lines: list[ToolLine]) -> str:
    return ", ".join(dict.fromkeys(f"{line.name} ({line.reason})" if line.reason else line.name for line in lines))
