"""Credentials: keeping the keys of model providers encrypted, and handing them to runs."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.llm import Credential
from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.credentials import store
from greenroom.server.credentials.schemas import CredentialChange, CredentialWanted
from greenroom.server.credentials.store import CredentialRow
from greenroom.server.database.ids import is_id, new_id
from greenroom.server.paging import Wish
from greenroom.server.problems import Conflict, NotFound
from greenroom.server.security.who import Access

_BATCH = 200


async def list_credentials(context: Context, access: Access, wish: Wish) -> dict[str, Any]:
    """The credentials of the project, without their keys."""
    async with context.database.reading() as session:
        return (await store.list_credentials(session, access.project_id, wish)).page(_shown)


async def create(context: Context, access: Access, wanted: CredentialWanted) -> dict[str, Any]:
    """Keep a credential.

    Raises:
        Conflict: the project has one of this name.
    """
    now = context.now()
    row = CredentialRow(
        id=new_id("crd"),
        project_id=access.project_id,
        name=wanted.name,
        sealed_key=context.vault.seal(wanted.api_key.get_secret_value()),
        base_url=wanted.base_url,
        created_at=now,
        updated_at=now,
    )
    async with context.database.writing() as session:
        await _check_name(session, access, wanted.name)
        session.add(row)
        await _flush(session, wanted.name)
        audit.record(session, access, now, "credential.created", row.id, {"name": row.name})
    return _shown(row)


async def show(context: Context, access: Access, credential_id: str) -> dict[str, Any]:
    """One credential, without its key.

    Raises:
        NotFound: the project has none of this id.
    """
    async with context.database.reading() as session:
        return _shown(await _find(session, access, credential_id))


async def change(context: Context, access: Access, credential_id: str, wanted: CredentialChange) -> dict[str, Any]:
    """Change a credential.

    Raises:
        NotFound: the project has none of this id.
        Conflict: the project has another one of this name.
    """
    given = wanted.model_fields_set
    async with context.database.writing() as session:
        row = await _find(session, access, credential_id)
        if wanted.name is not None and wanted.name != row.name:
            await _check_name(session, access, wanted.name)
            row.name = wanted.name
        if wanted.api_key is not None:
            row.sealed_key = context.vault.seal(wanted.api_key.get_secret_value())
        if "base_url" in given:
            row.base_url = wanted.base_url
        row.updated_at = context.now()
        await _flush(session, row.name)
        audit.record(session, access, context.now(), "credential.changed", row.id, {"fields": [*sorted(given)]})
        return _shown(row)


async def delete(context: Context, access: Access, credential_id: str) -> None:
    """Forget a credential.

    Raises:
        NotFound: the project has none of this id.
    """
    async with context.database.writing() as session:
        row = await _find(session, access, credential_id)
        await session.delete(row)
        audit.record(session, access, context.now(), "credential.deleted", row.id, {"name": row.name})


async def load(context: Context, project_id: str) -> dict[str, Credential]:
    """The credentials of a project with their keys, by name: for a run.

    Raises:
        CannotOpen: one was sealed with a key that is not at hand.
    """
    async with context.database.reading() as session:
        rows = await store.all_of_project(session, project_id)
    return {
        row.name: Credential(api_key=SecretStr(context.vault.open(row.sealed_key)), base_url=row.base_url)
        for row in rows
    }


async def reseal_all(context: Context) -> int:
    """Seal the keys of all credentials with the newest key; how many there were."""
    count, after = 0, ""
    while True:
        async with context.database.writing() as session:
            rows = await store.some_after(session, after, _BATCH)
            for row in rows:
                row.sealed_key = context.vault.reseal(row.sealed_key)
        if not rows:
            return count
        count, after = count + len(rows), rows[-1].id


async def _check_name(session: AsyncSession, access: Access, name: str) -> None:
    if await store.find_named(session, access.project_id, name) is not None:
        raise _taken(name)


async def _flush(session: AsyncSession, name: str) -> None:
    try:
        await session.flush()
    except IntegrityError:
        raise _taken(name) from None


def _taken(name: str) -> Conflict:
    return Conflict(f"There is a credential `{name}` already: change that one, or take another name.")


async def _find(session: AsyncSession, access: Access, credential_id: str) -> CredentialRow:
    row = (
        await store.find_credential(session, access.project_id, credential_id) if is_id(credential_id, "crd") else None
    )
    if row is None:
        raise NotFound("There is no such credential in this project.")
    return row


def _shown(row: CredentialRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "api_key": {"set": True},
        "base_url": row.base_url,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
