"""Signing in, one's own account, and the members of the project."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from greenroom.server.accounts import members, service
from greenroom.server.accounts.schemas import (
    Invited,
    Member,
    MemberChange,
    MemberWanted,
    Myself,
    PasswordByLink,
    PasswordChange,
    Session,
    SignIn,
)
from greenroom.server.context import CurrentContext
from greenroom.server.paging import Page
from greenroom.server.routing import Admin, Route, Signed
from greenroom.server.security.access import bearer_token

router = APIRouter(prefix="/v1", tags=["accounts"], route_class=Route)


@router.post("/sessions", response_model=Session, status_code=201, summary="Sign in")
async def sign_in(request: Request, context: CurrentContext, wanted: SignIn) -> dict[str, Any]:
    """Start a session with e-mail address and password."""
    return await service.sign_in(context, wanted.email, wanted.password.get_secret_value(), _address(request))


@router.delete("/sessions/current", status_code=204, summary="Sign out")
async def sign_out(request: Request, context: CurrentContext, access: Signed) -> None:  # noqa: ARG001 - it is asked for
    """End the session whose token the request carries."""
    await service.sign_out(context, bearer_token(request))


@router.post("/password", response_model=Session, status_code=201, summary="Set a password with a one-time link")
async def set_password(request: Request, context: CurrentContext, wanted: PasswordByLink) -> dict[str, Any]:
    """Set a password with a one-time link, and start a session."""
    password = wanted.password.get_secret_value()
    return await service.use_link(context, wanted.token, password, wanted.email, wanted.name, _address(request))


@router.put("/password", status_code=204, summary="Change the password")
async def change_password(request: Request, context: CurrentContext, access: Signed, wanted: PasswordChange) -> None:
    """Set another password. All other sessions of the developer end."""
    await service.change_password(
        context,
        access,
        bearer_token(request),
        wanted.password.get_secret_value(),
        wanted.new_password.get_secret_value(),
    )


@router.get("/me", response_model=Myself, summary="Show who I am")
async def show_myself(context: CurrentContext, access: Signed) -> dict[str, Any]:
    """Show whose key or session this is, and what it may do."""
    return await service.myself(context, access)


@router.get("/members", response_model=Page[Member], summary="List members")
async def list_members(context: CurrentContext, access: Admin) -> dict[str, Any]:
    """List the members of the project."""
    return await members.list_members(context, access)


@router.post("/members", response_model=Invited, status_code=201, summary="Add a member")
async def invite_member(context: CurrentContext, access: Admin, wanted: MemberWanted) -> dict[str, Any]:
    """Make somebody a member. A new account comes with a one-time link that sets its password."""
    return await members.invite(context, access, wanted.email, wanted.role, wanted.name)


@router.get("/members/{developer_id}", response_model=Member, summary="Show a member")
async def show_member(context: CurrentContext, access: Admin, developer_id: str) -> dict[str, Any]:
    """Show one member of the project."""
    return await members.show(context, access, developer_id)


@router.patch("/members/{developer_id}", response_model=Member, summary="Change a member's role")
async def change_member(
    context: CurrentContext, access: Admin, developer_id: str, wanted: MemberChange
) -> dict[str, Any]:
    """Give a member another role."""
    return await members.change_role(context, access, developer_id, wanted.role)


@router.delete("/members/{developer_id}", status_code=204, summary="Remove a member")
async def remove_member(context: CurrentContext, access: Admin, developer_id: str) -> None:
    """Make somebody a member no more. Their account stays."""
    await members.remove(context, access, developer_id)


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
