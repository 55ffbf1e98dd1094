"""The accounts of model providers that a project pays with."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from greenroom.server.context import CurrentContext
from greenroom.server.credentials import service
from greenroom.server.credentials.schemas import CredentialAnswer, CredentialChange, CredentialWanted
from greenroom.server.paging import AskedPage, Page
from greenroom.server.routing import Admin, ReadsAgents, Route

router = APIRouter(prefix="/v1/credentials", tags=["credentials"], route_class=Route)


@router.get("", response_model=Page[CredentialAnswer], summary="List credentials")
async def list_credentials(context: CurrentContext, access: ReadsAgents, page: AskedPage) -> dict[str, Any]:
    """List the credentials of the project. Keys are never told."""
    return await service.list_credentials(context, access, page)


@router.post("", response_model=CredentialAnswer, status_code=201, summary="Keep a credential")
async def create_credential(context: CurrentContext, access: Admin, wanted: CredentialWanted) -> dict[str, Any]:
    """Keep a provider's key, encrypted, under a name that models refer to."""
    return await service.create(context, access, wanted)


@router.get("/{credential_id}", response_model=CredentialAnswer, summary="Show a credential")
async def show_credential(context: CurrentContext, access: ReadsAgents, credential_id: str) -> dict[str, Any]:
    """Show a credential without its key."""
    return await service.show(context, access, credential_id)


@router.patch("/{credential_id}", response_model=CredentialAnswer, summary="Change a credential")
async def change_credential(
    context: CurrentContext, access: Admin, credential_id: str, wanted: CredentialChange
) -> dict[str, Any]:
    """Change a credential, for instance its key when the provider made a new one."""
    return await service.change(context, access, credential_id, wanted)


@router.delete("/{credential_id}", status_code=204, summary="Forget a credential")
async def delete_credential(context: CurrentContext, access: Admin, credential_id: str) -> None:
    """Forget a credential. Models that name it cannot be asked any more."""
    await service.delete(context, access, credential_id)
