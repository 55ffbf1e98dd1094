"""The doors as parts of the app: each an app of its own under its prefix, with the state of the whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response

from greenroom.model.errors import UserMistake
from greenroom.server.bodies import NOT_JSON
from greenroom.server.context import Context
from greenroom.server.database.absence import is_away
from greenroom.server.doors.door import Dialect, Door
from greenroom.server.doors.registry import DOORS
from greenroom.server.mcp.mounting import McpMount, mount, open_mcp
from greenroom.server.problems import Invalid, NotFound, Refusal, Unavailable, WrongMethod

_AWAY = "The database does not answer at the moment: try again in a few seconds."


def mount_doors(app: FastAPI, doors: Sequence[Door] = DOORS) -> None:
    """Put the doors into the app. Their MCP servers answer within `open_doors`."""
    for door in doors:
        app.mount(door.prefix, open_door(door, app), name=door.name)


@asynccontextmanager
async def open_doors(app: FastAPI, context: Context, doors: Sequence[Door] = DOORS) -> AsyncGenerator[None]:
    """Run the MCP servers of the doors until the end of the block."""
    async with AsyncExitStack() as stack:
        for door in doors:
            if door.tools is not None:
                await stack.enter_async_context(open_mcp(app, context, door.tools.make, _mcp(door)))
        yield


def open_door(door: Door, parent: FastAPI) -> FastAPI:
    """A door as an app that shares the state of `parent`."""
    app = FastAPI(
        title=door.title, version=parent.version, docs_url=None, redoc_url=None, redirect_slashes=False, root_path=""
    )
    app.state = parent.state
    for router in door.routers:
        app.include_router(router)
    if door.tools is not None:
        mount(app, _mcp(door))
    _tell_problems(app, door.dialect)
    return app


def _mcp(door: Door) -> McpMount:
    assert door.tools is not None  # noqa: S101 - asked for doors with tools alone
    return McpMount(f"mcp_{door.name}", door.tools.token_of)


def _tell_problems(app: FastAPI, dialect: Dialect) -> None:
    async def refused(request: Request, problem: Exception) -> Response:
        if isinstance(problem, Refusal):
            return dialect.refused(request, problem)
        assert isinstance(problem, HTTPException)  # noqa: S101 - it is registered for nothing else
        if problem.status_code == HTTPStatus.BAD_REQUEST:  # FastAPI's word for a body that cannot be read at all
            return dialect.refused(request, Invalid(NOT_JSON))
        if problem.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            return dialect.refused(request, WrongMethod("This address does not take requests of this method."))
        return dialect.refused(request, NotFound("There is nothing at this address."))

    async def misread(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, RequestValidationError)  # noqa: S101
        return dialect.misread(request, problem.errors())

    async def mistaken(request: Request, problem: Exception) -> Response:
        assert isinstance(problem, UserMistake)  # noqa: S101
        return dialect.refused(request, Invalid(problem.problems or str(problem)))

    async def away(request: Request, problem: Exception) -> Response:
        if not is_away(problem):
            raise problem
        return dialect.refused(request, Unavailable(_AWAY))

    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(RequestValidationError, misread)
    app.add_exception_handler(UserMistake, mistaken)
    app.add_exception_handler(DBAPIError, away)
    app.add_exception_handler(PoolTimeout, away)
