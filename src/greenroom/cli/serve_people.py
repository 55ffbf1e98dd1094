"""What `greenroom users` does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from greenroom.cli.exits import ExitCode
from greenroom.cli.serve_commands import access_to, with_context
from greenroom.cli.serve_extra import print_result
from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from greenroom.server.context import Context


def run_list_users(*, data: Path | None, as_json: bool) -> int:
    """List the developers."""

    async def find(context: Context) -> list[dict[str, Any]]:
        from greenroom.server.accounts import service as accounts

        return await accounts.list_developers(context)

    rows = with_context(data, find)
    lines = [f"{row['id']}  {row['email']}  {_state(row)}  {_roles(row)}".rstrip() for row in rows]
    print_result({"items": rows}, "\n".join(lines) or "There are no developers yet.", as_json=as_json)
    return ExitCode.ALL_PASSED


def run_add_user(email: str, *, role: str, project: str, data: Path | None, as_json: bool) -> int:
    """Make somebody a member."""

    async def add(context: Context) -> dict[str, Any]:
        from pydantic import TypeAdapter, ValidationError

        from greenroom.server.accounts import members
        from greenroom.server.accounts.schemas import Email
        from greenroom.server.security.scopes import Role

        if role not in set(Role):
            raise UserMistake(f"a role is one of viewer, editor or admin, not `{role}`")
        try:
            address = TypeAdapter[str](Email).validate_python(email)
        except ValidationError:
            raise UserMistake(f"`{email}` is no e-mail address: write it like maya@example.com") from None
        return await members.invite(context, await access_to(context, project), address, Role(role), None)

    made = with_context(data, add)
    link = made["link"]
    words = f"{made['developer']['email']} is a member now, as {made['role']}."
    if link:
        words += f"\nThey set their password, once, at {link}"
    print_result(
        {**made["developer"], "role": made["role"], "link": link},
        words,
        as_json=as_json,
    )
    return ExitCode.ALL_PASSED


def run_link(email: str | None, *, data: Path | None, as_json: bool) -> int:
    """Print a one-time link."""

    async def make(context: Context) -> str:
        from greenroom.server.accounts import service as accounts
        from greenroom.server.accounts.members import welcome_link

        if email is not None:
            return welcome_link(context, await accounts.new_link(context, email))
        token = await accounts.first_link(context, anew=True)
        if token is None:
            raise UserMistake("there is a first account already: say whose password is to be set")
        return welcome_link(context, token)

    link = with_context(data, make)
    print_result({"link": link}, link, as_json=as_json)
    return ExitCode.ALL_PASSED


def run_suspend(email: str, *, suspended: bool, data: Path | None, as_json: bool) -> int:
    """Suspend somebody, or let them in again."""

    async def change(context: Context) -> None:
        from greenroom.server.accounts import service as accounts

        await accounts.set_suspended(context, email, suspended=suspended)

    with_context(data, change)
    words = f"{email} is suspended." if suspended else f"{email} is let in again."
    print_result({"email": email, "suspended": suspended}, words, as_json=as_json)
    return ExitCode.ALL_PASSED


def _state(row: dict[str, Any]) -> str:
    if row["suspended"]:
        return "suspended"
    return "good" if row["has_password"] else "no password yet"


def _roles(row: dict[str, Any]) -> str:
    return ", ".join(f"{each['role']} of {each['project_id']}" for each in row["memberships"])
