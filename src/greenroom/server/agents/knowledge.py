"""What an agent knows: the documents of its draft, one by one. A document goes by its name within the agent, and by an
id that is made of it."""

from __future__ import annotations

import hashlib
from typing import Any

from greenroom.model.agent import Agent, Document, Knowledge
from greenroom.server.agents import service
from greenroom.server.agents.store import AgentRow
from greenroom.server.context import Context
from greenroom.server.etags import check_match
from greenroom.server.problems import Conflict, NotFound
from greenroom.server.security.who import Access

_GONE = "There is no such document in the draft of this agent."


async def list_documents(context: Context, access: Access, agent_id: str) -> service.Answer:
    """The documents of the draft, without their texts.

    Raises:
        NotFound: there is no such agent in this project.
    """
    async with context.database.reading() as session:
        row = await service.find(session, access.project_id, agent_id)
        knowledge = service.draft_of(context, row).knowledge or Knowledge()
    body = {
        "items": [_head(row, document) for document in knowledge.documents],
        "next_cursor": None,
        "inline_limit": knowledge.inline_limit,
        "characters": knowledge.size,
    }
    return service.Answer(body, row.revision)


async def show(context: Context, access: Access, agent_id: str, document_id: str) -> service.Answer:
    """One document with its text.

    Raises:
        NotFound: there is no such agent or document.
    """
    async with context.database.reading() as session:
        row = await service.find(session, access.project_id, agent_id)
        agent = service.draft_of(context, row)
    document = _documents(agent)[_index(row, agent, document_id)]
    return service.Answer({**_head(row, document), "text": document.text}, row.revision)


async def add(
    context: Context, access: Access, agent_id: str, name: str, text: str, if_match: str | None
) -> service.Answer:
    """Add a document to the draft.

    Raises:
        NotFound: there is no such agent in this project.
        ChangedSince: it was changed since the state `if_match`.
        Conflict: there is a document of this name.
        Invalid: it would be too much, or the text cannot be said.
    """
    document = Document(name=name, text=text)
    async with context.database.writing() as session:
        row = await service.find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        agent = service.draft_of(context, row)
        documents = _documents(agent)
        if any(each.name == name for each in documents):
            raise Conflict(f"There is a document `{name}` already: replace it, or take another name.")
        service.set_draft(session, context, access, row, _with(agent, [*documents, document]))
    return service.Answer({**_head(row, document), "text": text}, row.revision)


async def replace(
    context: Context, access: Access, agent_id: str, document_id: str, text: str, if_match: str | None
) -> service.Answer:
    """Give a document of the draft another text.

    Raises:
        NotFound, ChangedSince, Invalid: as for `add`.
    """
    async with context.database.writing() as session:
        row = await service.find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        agent = service.draft_of(context, row)
        documents, index = _documents(agent), _index(row, agent, document_id)
        documents[index] = Document(name=documents[index].name, text=text)
        service.set_draft(session, context, access, row, _with(agent, documents))
    return service.Answer({**_head(row, documents[index]), "text": text}, row.revision)


async def remove(context: Context, access: Access, agent_id: str, document_id: str, if_match: str | None) -> None:
    """Take a document out of the draft.

    Raises:
        NotFound, ChangedSince: as for `add`.
    """
    async with context.database.writing() as session:
        row = await service.find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        agent = service.draft_of(context, row)
        documents = _documents(agent)
        del documents[_index(row, agent, document_id)]
        service.set_draft(session, context, access, row, _with(agent, documents))


def document_id(agent_id: str, name: str) -> str:
    """The id that a document of this name has in an agent."""
    return f"doc_{hashlib.sha256(f'{agent_id}/{name}'.encode('utf-8', 'surrogatepass')).hexdigest()[:26]}"


def _documents(agent: Agent) -> list[Document]:
    return list(agent.knowledge.documents) if agent.knowledge else []


def _index(row: AgentRow, agent: Agent, wanted: str) -> int:
    for index, document in enumerate(_documents(agent)):
        if document_id(row.id, document.name) == wanted:
            return index
    raise NotFound(_GONE)


def _with(agent: Agent, documents: list[Document]) -> Agent:
    before = agent.knowledge or Knowledge()
    return agent.model_copy(update={"knowledge": before.model_copy(update={"documents": documents})})


def _head(row: AgentRow, document: Document) -> dict[str, Any]:
    return {"id": document_id(row.id, document.name), "name": document.name, "characters": len(document.text)}
