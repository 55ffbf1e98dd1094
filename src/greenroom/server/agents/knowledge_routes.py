"""The documents of an agent's draft."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from greenroom.server.agents import knowledge
from greenroom.server.agents.schemas import DocumentAnswer, DocumentList, DocumentText, DocumentWanted
from greenroom.server.agents.service import Answer
from greenroom.server.context import CurrentContext
from greenroom.server.etags import IfMatch, set_etag
from greenroom.server.routing import ReadsAgents, Route, WritesAgents

router = APIRouter(prefix="/v1/agents/{agent_id}/knowledge", tags=["knowledge"], route_class=Route)


def _tell(response: Response, answer: Answer) -> dict[str, Any]:
    set_etag(response, answer.revision)
    return answer.body


@router.get("", response_model=DocumentList, summary="List documents")
async def list_documents(
    response: Response, context: CurrentContext, access: ReadsAgents, agent_id: str
) -> dict[str, Any]:
    """List what the draft of an agent knows, without the texts."""
    return _tell(response, await knowledge.list_documents(context, access, agent_id))


@router.post("", response_model=DocumentAnswer, status_code=201, summary="Add a document")
async def add_document(
    response: Response,
    context: CurrentContext,
    access: WritesAgents,
    agent_id: str,
    wanted: DocumentWanted,
    if_match: IfMatch,
) -> dict[str, Any]:
    """Add a document to the draft of an agent."""
    return _tell(response, await knowledge.add(context, access, agent_id, wanted.name, wanted.text, if_match))


@router.get("/{document_id}", response_model=DocumentAnswer, summary="Show a document")
async def show_document(
    response: Response, context: CurrentContext, access: ReadsAgents, agent_id: str, document_id: str
) -> dict[str, Any]:
    """Show a document with its text."""
    return _tell(response, await knowledge.show(context, access, agent_id, document_id))


@router.put("/{document_id}", response_model=DocumentAnswer, summary="Replace a document's text")
async def replace_document(
    response: Response,
    context: CurrentContext,
    access: WritesAgents,
    agent_id: str,
    document_id: str,
    wanted: DocumentText,
    if_match: IfMatch,
) -> dict[str, Any]:
    """Give a document of the draft another text."""
    return _tell(response, await knowledge.replace(context, access, agent_id, document_id, wanted.text, if_match))


@router.delete("/{document_id}", status_code=204, summary="Remove a document")
async def remove_document(
    context: CurrentContext, access: WritesAgents, agent_id: str, document_id: str, if_match: IfMatch
) -> None:
    """Take a document out of the draft of an agent."""
    await knowledge.remove(context, access, agent_id, document_id, if_match)
