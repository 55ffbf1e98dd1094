"""What the commands of the service do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from greenroom.cli.exits import ExitCode
from greenroom.cli.serve_extra import print_result, settings_for
from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from greenroom.server.context import Context
    from greenroom.server.settings import Settings

T = TypeVar("T")


def run_serve(*, host: str | None, port: int | None, data: Path | None, worker: bool) -> int:
    """Serve until the process is asked to stop."""
    settings = settings_for(data, host=host, port=port)
    from greenroom.server.logs import keep_log
    from greenroom.server.serving import serve

    keep_log(settings.log_level)
    _run(serve(settings, worker=worker, tell=_tell))
    return ExitCode.ALL_PASSED


def run_worker(*, data: Path | None) -> int:
    """Play runs until the process is asked to stop."""
    settings = settings_for(data)
    from greenroom.server.logs import keep_log
    from greenroom.server.serving import work

    keep_log(settings.log_level)
    _run(work(settings, tell=_tell))
    return ExitCode.ALL_PASSED


def run_upgrade(*, data: Path | None, as_json: bool) -> int:
    """Run the migrations that are missing."""

    async def upgrade(settings: Settings) -> tuple[str | None, str]:
        from greenroom.server.database.engine import open_database
        from greenroom.server.database.upgrading import upgrade

        async with open_database(settings.url, pool_size=2) as database:
            return await upgrade(database)

    before, after = asyncio.run(upgrade(settings_for(data)))
    moved = f"The database went from {before or 'nothing'} to {after}."
    words = f"The database is at {after} already." if before == after else moved
    print_result({"before": before, "after": after}, words, as_json=as_json)
    return ExitCode.ALL_PASSED


def run_create_key(
    *, project: str, name: str, scopes: Sequence[str], expires: datetime | None, data: Path | None, as_json: bool
) -> int:
    """Make a key."""

    async def create(context: Context) -> dict[str, Any]:
        from greenroom.server.keys import service as keys

        access = await access_to(context, project)
        until = None if expires is None else expires.replace(tzinfo=UTC) if expires.tzinfo is None else expires
        if not name.strip() or len(name) > 100 or not name.isprintable():
            raise UserMistake("a key's name has 1 to 100 characters, on one line")
        return await keys.create(context, access, name.strip(), scopes, until)

    made = with_context(data, create)
    result = {each: made[each] for each in ("id", "key", "name", "scopes")}
    print_result(result, f"{made['key']}\n\nKeep it: it is not shown again. Its id is {made['id']}.", as_json=as_json)
    return ExitCode.ALL_PASSED


def run_list_keys(*, project: str, data: Path | None, as_json: bool) -> int:
    """List the keys of a project."""

    async def find(context: Context) -> list[dict[str, Any]]:
        from greenroom.server.keys import service as keys
        from greenroom.server.paging import MOST, Wish, read_cursor

        access, found, after = await access_to(context, project), list[dict[str, Any]](), None
        while True:
            page = await keys.list_keys(context, access, Wish(MOST, after))
            found.extend(page["items"])
            if page["next_cursor"] is None:
                return found
            after = read_cursor(page["next_cursor"])

    rows = with_context(data, find)
    lines = [f"{row['id']}  {row['prefix']}…  {_state(row)}  {row['name']}  {', '.join(row['scopes'])}" for row in rows]
    print_result({"items": rows}, "\n".join(lines) or "There are no keys yet.", as_json=as_json)
    return ExitCode.ALL_PASSED


def run_revoke_key(key_id: str, *, project: str, data: Path | None, as_json: bool) -> int:
    """Revoke a key."""

    async def revoke(context: Context) -> None:
        from greenroom.server.keys import service as keys

        await keys.revoke(context, await access_to(context, project), key_id)

    with_context(data, revoke)
    print_result({"id": key_id, "revoked": True}, f"{key_id} opens nothing any more.", as_json=as_json)
    return ExitCode.ALL_PASSED


def run_secret() -> int:
    """Print a new key for secrets."""
    settings_for(None)
    from greenroom.server.security.vault import new_secret_key

    typer.echo(new_secret_key())
    return ExitCode.ALL_PASSED


def run_reseal(*, data: Path | None, as_json: bool) -> int:
    """Seal all secrets with the newest key."""

    async def reseal(context: Context) -> dict[str, int]:
        from greenroom.server.agents.resealing import reseal_all as reseal_agents
        from greenroom.server.credentials.service import reseal_all as reseal_credentials
        from greenroom.server.security.installing import reseal_check

        counts = {"credentials": await reseal_credentials(context), "agents": await reseal_agents(context)}
        await reseal_check(context.database, context.vault)
        return counts

    counts = with_context(data, reseal)
    words = f"{counts['credentials']} credentials and {counts['agents']} agents are sealed with the newest key."
    print_result(counts, words, as_json=as_json)
    return ExitCode.ALL_PASSED


async def access_to(context: Context, project: str) -> Any:
    """The operator's access to a project.

    Raises:
        UserMistake: there is no such project.
    """
    from greenroom.server.projects import service as projects
    from greenroom.server.security.who import operator

    return operator((await projects.find_by_word(context, project)).id)


def with_context(data: Path | None, work: Callable[[Context], Awaitable[T]]) -> T:
    """Do something with the service's database. What a client would be refused is told as a mistake.

    Raises:
        UserMistake: it cannot be done.
    """
    settings = settings_for(data)

    async def do() -> T:
        from greenroom.server.context import open_context
        from greenroom.server.database.tables import all_tables
        from greenroom.server.preparing import prepare
        from greenroom.server.problems import Refusal

        all_tables()
        async with open_context(settings) as context:
            await prepare(context)
            try:
                return await work(context)
            except Refusal as refusal:
                raise UserMistake(str(refusal.detail)) from None

    return asyncio.run(do())


def _run(work: Any) -> None:
    try:
        import uvloop
    except ImportError:  # not on Windows
        asyncio.run(work)
    else:
        uvloop.run(work)


def _state(row: dict[str, Any]) -> str:
    if row["revoked_at"] is not None:
        return "revoked"
    expires: datetime | None = row["expires_at"]
    return "expired" if expires is not None and expires <= datetime.now(UTC) else "good"


def _tell(line: str) -> None:
    typer.echo(line)
