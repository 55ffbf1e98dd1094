"""What all pages of the console share: the head, the way around, the place where the page itself goes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from fastapi import Request
from fastapi.responses import Response
from nicegui import Client, ui
from nicegui.page import page as page_of

from greenroom.server.console.session import Visitor
from greenroom.server.problems import Refusal
from greenroom.server.security.scopes import Scope

Place = Literal["agents", "runs", "compare", "usage", "settings"]

_STATIC = Path(__file__).parent / "static"
_PLACES: tuple[tuple[Place, str], ...] = (
    ("agents", "Agents"),
    ("runs", "Runs"),
    ("compare", "Compare"),
    ("usage", "Usage"),
    ("settings", "Settings"),
)
# Before anything is drawn, so that a page never flashes in the other colours.
_HEAD = f"""<link rel="stylesheet" href="/console/static/console.css?{{version}}">
<script>{(_STATIC / "colours.js").read_text(encoding="utf-8")}</script>"""

_BUG = "This is a bug of Greenroom's, not of yours. The log of the service tells more. You can go back and try again."


def put_head() -> None:
    """Style sheet and colours of a page."""
    version = int((_STATIC / "console.css").stat().st_mtime)
    ui.add_head_html(_HEAD.replace("{version}", str(version)))


@contextmanager
def frame(visitor: Visitor, title: str, place: Place, *, trail: tuple[tuple[str, str], ...] = ()) -> Generator[None]:
    """A page of a project: what is put inside the block stands below the heading `title`. `trail` are the pages above
    this one, as pairs of a name and an address."""
    ui.page_title(f"{title} – Greenroom")
    put_head()
    ui.html('<a class="gr-skip" href="#content">Skip to the content</a>', sanitize=False)
    with ui.element("header").classes("gr-top"):
        ui.link("Greenroom", visitor.address("agents")).classes("gr-brand")
        with ui.element("nav").props('aria-label="Main"').classes("gr-nav"):
            for key, name in _PLACES:
                link = ui.link(name, visitor.address(key))
                if key == place:
                    link.props('aria-current="page"')
        _account(visitor)
    with ui.element("div").classes("gr-page").props('id="content" tabindex="-1"'):
        if trail:
            with ui.element("nav").props('aria-label="Breadcrumb"').classes("gr-trail"):
                for name, address in trail:
                    ui.link(name, address)
                    ui.html('<span aria-hidden="true">/</span>', sanitize=False)
        ui.html(f"<h1>{_escaped(title)}</h1>", sanitize=False)
        yield


def _account(visitor: Visitor) -> None:
    with ui.element("div").classes("gr-account"):
        if len(visitor.projects) > 1:
            options = {each["project_id"]: each["name"] for each in visitor.projects}
            ui.select(
                options,
                value=visitor.project_id,
                label="Project",
                on_change=lambda event: ui.navigate.to(f"/p/{event.value}/agents"),
            ).props("dense outlined options-dense").classes("gr-project")
        else:
            ui.label(visitor.project).classes("gr-project-name")
        ui.button("Colours", on_click=lambda: ui.run_javascript("greenroomColours()")).props(
            'flat dense no-caps color=link aria-label="Switch between light and dark"'
        )
        with ui.element("form").props('method="post" action="/console/sign-out"'):
            ui.button("Sign out").props("flat dense no-caps color=link type=submit")


def may_not(visitor: Visitor, scope: Scope) -> bool:
    """Say that a page is not for this person where it is not; whether that is so."""
    if visitor.may(scope):
        return False
    ui.label("Your role in this project does not let you see this. Ask one of its admins.").classes("gr-quiet")
    return True


def show_refusal(request: Request, refusal: Refusal) -> Response:
    """A page that says why there is none."""
    with Client(page_of(""), request=request) as client:
        ui.page_title(f"{refusal.title} – Greenroom")
        put_head()
        with ui.element("div").classes("gr-page gr-narrow"):
            ui.html(f"<h1>{_escaped(refusal.title)}</h1>", sanitize=False)
            ui.label(str(refusal.detail))
            ui.link("Go to the agents", "/")
    return client.build_response(request, int(refusal.status))


def show_bug(problem: Exception) -> None:
    """A page that says that Greenroom itself failed, or, for what is refused, why."""
    title = problem.title if isinstance(problem, Refusal) else "Greenroom itself failed"
    said = str(problem.detail) if isinstance(problem, Refusal) else _BUG
    ui.page_title(f"{title} – Greenroom")
    put_head()
    with ui.element("div").classes("gr-page gr-narrow"):
        ui.html(f"<h1>{_escaped(title)}</h1>", sanitize=False)
        ui.label(said)
        ui.link("Go to the agents", "/")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
