"""The console as a part of the app: NiceGUI under `/`, with what it needs of the service."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from nicegui import app as nicegui
from nicegui import ui

from greenroom.server.console.door import router
from greenroom.server.console.frame import show_bug, show_refusal
from greenroom.server.console.pages.all_pages import PAGES
from greenroom.server.console.session import SIGN_IN, MustSignIn, report_bug
from greenroom.server.problems import NotFound, Refusal

STATIC = "/console/static"
_OF_THE_API = ("v1", "mcp")
_RECONNECT_SECONDS = 30.0


def mount_console(app: FastAPI) -> None:
    """Put the console into the app, behind everything else: it answers whatever nothing else does."""
    assert PAGES  # noqa: S101 - importing them has registered them
    app.include_router(router)
    for place in _OF_THE_API:
        app.add_api_route(f"/{place}/{{rest:path}}", _nothing_here, methods=["GET", "HEAD"], include_in_schema=False)
    nicegui.state.service = app.state
    nicegui.add_static_files(STATIC, Path(__file__).parent / "static", max_cache_age=3600)
    nicegui.add_exception_handler(MustSignIn, _ask_to_sign_in)
    nicegui.add_exception_handler(Refusal, _tell_refusal)
    nicegui.on_exception(report_bug)
    nicegui.on_page_exception(show_bug)
    ui.run_with(
        app,
        title="Greenroom",
        favicon=Path(__file__).parent / "static" / "icon.svg",
        dark=None,
        language="en-US",
        reconnect_timeout=_RECONNECT_SECONDS,
        tailwind=False,
        show_welcome_message=False,
    )


async def _nothing_here() -> None:
    raise NotFound("There is nothing at this address.")


async def _ask_to_sign_in(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, MustSignIn)  # noqa: S101 - it is registered for nothing else
    return RedirectResponse(f"{SIGN_IN}?next={quote(problem.address)}", status_code=303)


async def _tell_refusal(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refusal)  # noqa: S101 - it is registered for nothing else
    return show_refusal(request, problem)
