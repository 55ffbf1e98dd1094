"""The app: every room's routes, one way of telling problems, one lifetime."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response

from greenroom.model.errors import UserMistake
from greenroom.server import health, metrics
from greenroom.server.accounts.routes import router as accounts
from greenroom.server.accounts.welcome import router as welcome
from greenroom.server.agents.knowledge_routes import router as knowledge
from greenroom.server.agents.routes import router as agents
from greenroom.server.audit.routes import router as audit
from greenroom.server.bodies import NOT_JSON
from greenroom.server.context import Context, open_context, utc_now
from greenroom.server.credentials.routes import router as credentials
from greenroom.server.credits.routes import router as credits
from greenroom.server.database.absence import is_away
from greenroom.server.doors.opening import mount_doors, open_doors
from greenroom.server.drafts.routes import router as drafts
from greenroom.server.keys.routes import router as keys
from greenroom.server.labels.routes import router as labels
from greenroom.server.mcp.mounting import make_native, mount, open_mcp
from greenroom.server.metrics import Metrics
from greenroom.server.middleware import AroundRequests
from greenroom.server.openapi import describe
from greenroom.server.preparing import prepare
from greenroom.server.problems import Invalid, Refusal, Unavailable, problem_response
from greenroom.server.projects.routes import router as projects
from greenroom.server.reaching import open_reach
from greenroom.server.runs.routes import router as runs
from greenroom.server.settings import Settings
from greenroom.server.tests.routes import router as tests
from greenroom.server.tidying import tidying
from greenroom.server.usage.routes import router as usage
from greenroom.server.wording import worded

ROUTERS: tuple[APIRouter, ...] = (
    projects,
    accounts,
    welcome,
    keys,
    credentials,
    agents,
    knowledge,
    tests,
    runs,
    credits,
    drafts,
    labels,
    usage,
    audit,
    health.router,
    metrics.router,
)

Companion = Callable[[FastAPI, Context], AbstractAsyncContextManager[None]]
"""Something that lives as long as the app, such as the queue: it is entered once the database is ready."""


def create_app(
    settings: Settings, *, companions: Sequence[Companion] = (), now: Callable[[], datetime] = utc_now
) -> FastAPI:
    """The service as an ASGI app. While it runs, `app.state.context` is what its rooms work with."""

    @asynccontextmanager
    async def live(app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            context = await stack.enter_async_context(open_context(settings, now=now))
            await prepare(context)
            app.state.context = context
            app.state.reach = await stack.enter_async_context(open_reach(context))
            await stack.enter_async_context(tidying(context))
            for companion in companions:
                await stack.enter_async_context(companion(app, context))
            await stack.enter_async_context(open_mcp(app, context, make_native))
            await stack.enter_async_context(open_doors(app, context))
            yield

    app = FastAPI(
        title="Greenroom",
        summary="Test conversational agents before they take real calls.",
        version=_version(),
        lifespan=live,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.openapi = lambda: describe(app)
    app.state.metrics = Metrics()
    for router in ROUTERS:
        app.include_router(router)
    mount(app)
    mount_doors(app)
    app.add_middleware(AroundRequests, body_bytes=settings.body_bytes, metrics=app.state.metrics)
    _tell_problems(app)
    return app


def _version() -> str:
    from greenroom.report.results import greenroom_version

    return greenroom_version()


def _tell_problems(app: FastAPI) -> None:
    app.add_exception_handler(HTTPException, _tell_refusal)
    app.add_exception_handler(RequestValidationError, _tell_invalid)
    app.add_exception_handler(UserMistake, _tell_mistake)
    app.add_exception_handler(DBAPIError, _tell_database)
    app.add_exception_handler(PoolTimeout, _tell_database)


async def _tell_refusal(request: Request, problem: Exception) -> Response:
    if isinstance(problem, Refusal):
        return _response(request, problem)
    assert isinstance(problem, HTTPException)  # noqa: S101 - it is registered for nothing else
    if problem.status_code == HTTPStatus.BAD_REQUEST:  # FastAPI's word for a body that cannot be read at all
        return _response(request, Invalid(NOT_JSON))
    title, detail = {
        404: ("Not found", "There is nothing at this address."),
        405: ("Not this way", "This address does not take requests of this method."),
    }.get(problem.status_code, ("This request cannot be carried out", str(problem.detail)))
    return problem_response(
        problem.status_code, title, detail, request_id=_request_id(request), headers=problem.headers
    )


async def _tell_invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)  # noqa: S101
    return _response(request, Invalid(worded(problem.errors())))


async def _tell_mistake(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, UserMistake)  # noqa: S101
    return _response(request, Invalid(problem.problems))


async def _tell_database(request: Request, problem: Exception) -> Response:
    if is_away(problem):
        log: Any = structlog.get_logger("greenroom.database")
        log.warning("database does not answer", problem=type(problem).__name__)
        return _response(
            request, Unavailable("The database does not answer at the moment: try again in a few seconds.")
        )
    raise problem


def _response(request: Request, refusal: Refusal) -> Response:
    return problem_response(
        int(refusal.status),
        refusal.title,
        str(refusal.detail),
        request_id=_request_id(request),
        errors=refusal.errors,
        headers=refusal.headers,
        extra=refusal.extra,
    )


def _request_id(request: Request) -> str:
    return str(request.state.request_id)
