"""The keys of the project."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from greenroom.server.context import CurrentContext
from greenroom.server.keys import service
from greenroom.server.keys.schemas import Key, KeyWanted, NewKey
from greenroom.server.paging import AskedPage, Page
from greenroom.server.routing import Admin, Route

router = APIRouter(prefix="/v1/keys", tags=["keys"], route_class=Route)


@router.get("", response_model=Page[Key], summary="List keys")
async def list_keys(context: CurrentContext, access: Admin, page: AskedPage) -> dict[str, Any]:
    """List the keys of the project, the newest first."""
    return await service.list_keys(context, access, page)


@router.post("", response_model=NewKey, status_code=201, summary="Make a key")
async def create_key(context: CurrentContext, access: Admin, wanted: KeyWanted) -> dict[str, Any]:
    """Make a key. It is shown in this answer and never again."""
    return await service.create(context, access, wanted.name, wanted.scopes, wanted.expires_at)


@router.get("/{key_id}", response_model=Key, summary="Show a key")
async def show_key(context: CurrentContext, access: Admin, key_id: str) -> dict[str, Any]:
    """Show what is known of a key: not the key itself."""
    return await service.show(context, access, key_id)


@router.delete("/{key_id}", status_code=204, summary="Revoke a key")
async def revoke_key(context: CurrentContext, access: Admin, key_id: str) -> None:
    """Let a key open nothing any more."""
    await service.revoke(context, access, key_id)
