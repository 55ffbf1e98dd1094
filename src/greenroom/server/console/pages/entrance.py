"""The way in: signing in, and on to a project."""

from __future__ import annotations

from html import escape

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import ui

from greenroom.server.accounts import service as accounts
from greenroom.server.console.door import own_address
from greenroom.server.console.frame import put_head
from greenroom.server.console.session import COOKIE, SIGN_IN, MustSignIn, house_of


@ui.page("/", response_timeout=30)
async def entrance(request: Request) -> Response:
    """On to the agents of the first project of whoever is signed in."""
    house = house_of(request)
    token = request.cookies.get(COOKIE, "")
    projects = await accounts.projects_of_session(house.context, token) if token else None
    if projects is None:
        raise MustSignIn("/")
    if not projects:
        return RedirectResponse("/nowhere", status_code=303)
    return RedirectResponse(f"/p/{projects[0]}/agents", status_code=303)


@ui.page("/nowhere")
def nowhere() -> None:
    """For an account that is a member of no project."""
    text = "You are a member of no project yet. Ask whoever runs this service to add you to one."
    _narrow("No project", f"<p>{escape(text)}</p>")


@ui.page(SIGN_IN)
def sign_in(request: Request) -> None:
    """The form that signs in."""
    wanted = own_address(request.query_params.get("next", "/"))
    said = request.query_params.get("said", "")
    note = f'<p role="alert" class="gr-said">{escape(said)}</p>' if said else ""
    _narrow(
        "Sign in",
        f"""{note}<form method="post" action="/console/sign-in" class="gr-form">
<input type="hidden" name="next" value="{escape(wanted, quote=True)}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button></form>
<p class="gr-quiet">No password yet, or forgotten it? Whoever runs this service can make you a link with
<code>greenroom users link</code>.</p>""",
    )


def _narrow(title: str, inside: str) -> None:
    ui.page_title(f"{title} – Greenroom")
    put_head()
    ui.html(
        f'<div class="gr-page gr-narrow"><div class="gr-brand">Greenroom</div><h1>{escape(title)}</h1>{inside}</div>',
        sanitize=False,
    )
