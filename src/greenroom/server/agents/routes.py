"""Agents: the saved ones, their drafts and versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from greenroom.server.agents import service
from greenroom.server.agents.schemas import AgentAnswer, AgentHead, Comparison, Publish, Version
from greenroom.server.agents.service import Answer, State
from greenroom.server.bodies import JsonBody
from greenroom.server.context import CurrentContext
from greenroom.server.etags import IfMatch, set_etag
from greenroom.server.openapi import AGENT_BODY, AGENT_PATCH
from greenroom.server.paging import AskedPage, Page
from greenroom.server.reaching import CurrentQueue
from greenroom.server.routing import ReadsAgents, Route, WritesAgents
from greenroom.server.runs import dropping

router = APIRouter(prefix="/v1/agents", tags=["agents"], route_class=Route)

_STATE = r"^(draft|published|[1-9][0-9]{0,8})$"


def _tell(response: Response, answer: Answer) -> dict[str, Any]:
    set_etag(response, answer.revision)
    return answer.body


def _state(word: str) -> State:
    if word == "draft" or word == "published":
        return word
    return int(word)


@router.get("", response_model=Page[AgentHead], summary="List agents")
async def list_agents(context: CurrentContext, access: ReadsAgents, page: AskedPage) -> dict[str, Any]:
    """List the agents of the project, the newest first."""
    return await service.list_agents(context, access, page)


@router.post("", response_model=AgentAnswer, status_code=201, summary="Make an agent", openapi_extra=AGENT_BODY)
async def create_agent(
    response: Response,
    context: CurrentContext,
    access: WritesAgents,
    body: JsonBody,
    publish: Annotated[bool, Query(description="Whether to publish it as version 1, or to keep it as a draft.")] = True,
) -> dict[str, Any]:
    """Make an agent, and publish it as its version 1."""
    return _tell(response, await service.create(context, access, body, publish=publish))


@router.get("/{agent_id}", response_model=AgentAnswer, summary="Show an agent")
async def show_agent(
    response: Response,
    context: CurrentContext,
    access: ReadsAgents,
    agent_id: str,
    version: Annotated[int | None, Query(ge=1, description="The version to show instead of the last one.")] = None,
) -> dict[str, Any]:
    """Show the last published version of an agent, or its draft where nothing was published yet."""
    return _tell(response, await service.show(context, access, agent_id, version or "published"))


@router.patch("/{agent_id}", response_model=AgentAnswer, summary="Change an agent", openapi_extra=AGENT_PATCH)
async def change_agent(
    response: Response,
    context: CurrentContext,
    access: WritesAgents,
    agent_id: str,
    body: JsonBody,
    if_match: IfMatch,
) -> dict[str, Any]:
    """Change an agent by a JSON Merge Patch, and publish the change as its next version."""
    return _tell(response, await service.change(context, access, agent_id, body, if_match))


@router.delete("/{agent_id}", status_code=204, summary="Delete an agent")
async def delete_agent(
    context: CurrentContext, queue: CurrentQueue, access: WritesAgents, agent_id: str, if_match: IfMatch
) -> None:
    """Delete an agent with its versions, its tests and its runs. Runs that wait are over at once, those that play stop
    before their next request."""
    await dropping.delete_agent(context, queue, access, agent_id, if_match)


@router.get("/{agent_id}/draft", response_model=AgentAnswer, summary="Show a draft")
async def show_draft(response: Response, context: CurrentContext, access: ReadsAgents, agent_id: str) -> dict[str, Any]:
    """Show an agent as it is being edited."""
    return _tell(response, await service.show(context, access, agent_id, "draft"))


@router.patch("/{agent_id}/draft", response_model=AgentAnswer, summary="Change a draft", openapi_extra=AGENT_PATCH)
async def change_draft(
    response: Response,
    context: CurrentContext,
    access: WritesAgents,
    agent_id: str,
    body: JsonBody,
    if_match: IfMatch,
) -> dict[str, Any]:
    """Change a draft by a JSON Merge Patch. Nothing is published."""
    return _tell(response, await service.change_draft(context, access, agent_id, body, if_match))


@router.delete("/{agent_id}/draft", response_model=AgentAnswer, summary="Discard the changes of a draft")
async def discard_draft(
    response: Response, context: CurrentContext, access: WritesAgents, agent_id: str, if_match: IfMatch
) -> dict[str, Any]:
    """Set a draft back to the last published version."""
    return _tell(response, await service.discard_draft(context, access, agent_id, if_match))


@router.post("/{agent_id}/publish", response_model=AgentAnswer, summary="Publish a draft")
async def publish_agent(
    response: Response,
    context: CurrentContext,
    access: WritesAgents,
    agent_id: str,
    if_match: IfMatch,
    wanted: Publish | None = None,
) -> dict[str, Any]:
    """Keep the draft as the next version. Where nothing changed, the last version stays the last."""
    note = wanted.note if wanted else None
    return _tell(response, await service.publish(context, access, agent_id, note, if_match))


@router.get("/{agent_id}/versions", response_model=Page[Version], summary="List versions")
async def list_versions(context: CurrentContext, access: ReadsAgents, agent_id: str, page: AskedPage) -> dict[str, Any]:
    """List the versions of an agent, the newest first."""
    return await service.list_versions(context, access, agent_id, page)


@router.get("/{agent_id}/versions/{number}", response_model=AgentAnswer, summary="Show a version")
async def show_version(
    response: Response, context: CurrentContext, access: ReadsAgents, agent_id: str, number: int
) -> dict[str, Any]:
    """Show an agent as it was published with this number."""
    return _tell(response, await service.show(context, access, agent_id, number))


@router.get("/{agent_id}/diff", response_model=Comparison, response_model_exclude_unset=True, summary="Compare states")
async def compare_states(
    context: CurrentContext,
    access: ReadsAgents,
    agent_id: str,
    one: Annotated[str, Query(alias="from", pattern=_STATE, description="`draft`, `published` or a number.")] = (
        "published"
    ),
    other: Annotated[str, Query(alias="to", pattern=_STATE, description="`draft`, `published` or a number.")] = "draft",
) -> dict[str, Any]:
    """Show what is different between two states of an agent: the last version and the draft, if not asked otherwise."""
    return await service.compare(context, access, agent_id, _state(one), _state(other))
