"""Signing in and out: plain forms and a cookie, before any page of the console is shown."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from greenroom.server.accounts import service as accounts
from greenroom.server.console.session import COOKIE, SIGN_IN
from greenroom.server.context import CurrentContext
from greenroom.server.problems import NotAllowed, Refusal
from greenroom.server.security.access import recognise

router = APIRouter(include_in_schema=False)


@router.post("/console/sign-in")
async def sign_in(
    request: Request,
    context: CurrentContext,
    email: Annotated[str, Form()] = "",
    password: Annotated[str, Form()] = "",
    wanted: Annotated[str, Form(alias="next")] = "/",
) -> Response:
    """Start a session and go on to the page that was wanted."""
    _refuse_other_sites(request)
    address = request.client.host if request.client else "unknown"
    try:
        session = await accounts.sign_in(context, email.strip().lower(), password, address)
    except Refusal as refusal:
        said = f"{SIGN_IN}?next={quote(own_address(wanted))}&said={quote(refusal.detail)}"
        return RedirectResponse(said, status_code=303)
    return _with_session(request, context, own_address(wanted), session["token"])


@router.post("/console/sign-out")
async def sign_out(request: Request, context: CurrentContext) -> Response:
    """End the session."""
    _refuse_other_sites(request)
    await accounts.sign_out(context, request.cookies.get(COOKIE, ""))
    answer = RedirectResponse(SIGN_IN, status_code=303)
    answer.delete_cookie(COOKIE)
    return answer


@router.post("/console/session")
async def keep_session(request: Request, context: CurrentContext, token: Annotated[str, Form()] = "") -> Response:
    """Keep the session that a one-time link has started."""
    _refuse_other_sites(request)
    try:
        await recognise(context, token)
    except NotAllowed:
        pass  # more than one project: the page that follows lets them choose
    except Refusal:
        return RedirectResponse(SIGN_IN, status_code=303)
    return _with_session(request, context, "/", token)


def own_address(wanted: str) -> str:
    """An address of this site to go on to; `/` for any other."""
    parts = urlsplit(wanted)
    is_own = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return wanted if is_own and wanted.isprintable() else "/"


def _with_session(request: Request, context: CurrentContext, where: str, token: str) -> Response:
    answer = RedirectResponse(where, status_code=303)
    answer.set_cookie(
        COOKIE,
        token,
        max_age=context.settings.session_days * 86_400,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def _refuse_other_sites(request: Request) -> None:
    """A form of another site must not sign anybody in or out here."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site in (None, "same-origin", "none") and origin in (None, "null", str(request.base_url).rstrip("/")):
        return
    if site == "same-origin":  # behind a proxy that speaks another scheme, the browser's own word counts
        return
    raise NotAllowed("This form was sent from another site.")
