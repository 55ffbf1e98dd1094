"""What an agent must keep to on a server that many people share, beside the rules of every agent."""

from __future__ import annotations

from collections.abc import Iterator

from greenroom.model.agent import Agent
from greenroom.model.errors import Problem
from greenroom.model.limits import Limits
from greenroom.model.remote import RemotePython
from greenroom.model.rules import check_agent


def check_kept_agent(agent: Agent, limits: Limits, knowledge_characters: int) -> list[Problem]:
    """What is wrong with an agent that is kept here."""
    return [*check_agent(agent, limits), *_runs_programs(agent), *_knows_too_much(agent, knowledge_characters)]


def _runs_programs(agent: Agent) -> Iterator[Problem]:
    if isinstance(agent.remote, RemotePython):
        yield Problem(
            ("remote", "type"),
            "a service runs no Python of its users: reach the agent over `openai`, `http` or `websocket`",
        )
    for index, server in enumerate(agent.mcp_servers):
        if server.command is not None:
            yield Problem(
                ("mcp_servers", index, "command"),
                "a service starts no programs of its users: give the MCP server's `url` instead",
            )


def _knows_too_much(agent: Agent, most: int) -> Iterator[Problem]:
    if agent.knowledge is None:
        return
    if agent.knowledge.size > most:
        yield Problem(
            ("knowledge", "documents"),
            f"{agent.knowledge.size:,} characters of knowledge are more than the {most:,} that an agent may have",
        )
    seen: set[str] = set()
    for index, document in enumerate(agent.knowledge.documents):
        path = ("knowledge", "documents", index, "name")
        if not document.name.strip() or len(document.name) > 200:
            yield Problem(path, "a document's name has 1 to 200 characters")
        elif document.name in seen:
            yield Problem(path, f"two documents are named `{document.name}`: rename one")
        seen.add(document.name)
