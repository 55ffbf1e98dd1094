"""The agents of a project."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from greenroom.server.agents import service as agents
from greenroom.server.console.frame import frame, may_not
from greenroom.server.console.parts.basics import cell, empty, moment, row, table, words
from greenroom.server.console.session import SignedIn
from greenroom.server.paging import Wish
from greenroom.server.security.scopes import Scope

_AT_ONCE = 50


@ui.page("/p/{project_id}/agents", response_timeout=30)
async def list_agents(visitor: SignedIn) -> None:
    """All agents, with how they are doing."""
    with frame(visitor, "Agents", "agents"):
        if may_not(visitor, Scope.AGENTS_READ):
            return
        found = await agents.list_agents(visitor.context, visitor.access, Wish(_AT_ONCE))
        if not found["items"]:
            empty("There is no agent yet.")
            return
        with table("Agents", ["Name", "Version", "Changed"]):
            for each in found["items"]:
                with row():
                    with cell("Name"):
                        ui.link(each["name"], visitor.address("agents", each["id"]))
                    words("Version", _version(each))
                    with cell("Changed"):
                        moment(each["updated_at"])


def _version(agent: dict[str, Any]) -> str:
    version = agent["published_version"]
    if version is None:
        return "only a draft"
    return f"{version}, with unpublished changes" if agent["has_changes"] else str(version)
