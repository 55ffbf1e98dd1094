"""Who looks at a page of the console, and what they may do there.

A person is known by a cookie that holds their session's token; the project is part of every page's address, so that an
address can be handed on. Each thing that is done asks anew who they are: a session that ended meanwhile does nothing.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

import structlog
from fastapi import Depends, Request
from nicegui import ui
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from greenroom.model.errors import GreenroomError, UserMistake
from greenroom.server.accounts import service as accounts
from greenroom.server.context import Context
from greenroom.server.database.absence import is_away
from greenroom.server.fields import field_name
from greenroom.server.policies.service import Policies
from greenroom.server.problems import LacksScope, NotAllowed, NotFound, NotSignedIn, Refusal
from greenroom.server.queue.client import Queue
from greenroom.server.reaching import Reach
from greenroom.server.runs.requesting import Desk
from greenroom.server.security.access import recognise
from greenroom.server.security.scopes import Scope
from greenroom.server.security.who import Access

COOKIE = "greenroom_session"
SIGN_IN = "/sign-in"
_AWAY = "The database does not answer at the moment: try again in a few seconds."


class MustSignIn(Exception):
    """Nobody is signed in. `address` is where they wanted to go."""

    def __init__(self, address: str) -> None:
        super().__init__("Sign in first.")
        self.address = address


@dataclass(frozen=True, slots=True)
class House:
    """The service that the console shows."""

    context: Context
    queue: Queue
    policies: Policies
    reach: Reach

    @property
    def desk(self) -> Desk:
        return Desk(self.context, self.queue, self.policies)


def house_of(request: Request) -> House:
    """The service behind a request of the console."""
    state: Any = request.app.state.service
    return House(state.context, state.queue, state.policies, state.reach)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in and looks at a project. `projects` are all that they are a member of."""

    house: House
    token: str
    access: Access
    project: str
    projects: tuple[dict[str, Any], ...]

    @property
    def context(self) -> Context:
        return self.house.context

    @property
    def project_id(self) -> str:
        return self.access.project_id

    def may(self, scope: Scope) -> bool:
        """Whether they could do what needs this scope when the page was made."""
        return self.access.may(scope)

    def address(self, *steps: object) -> str:
        """The address of a page of the project."""
        return "/".join(["", "p", self.project_id, *(quote(str(step), safe="") for step in steps)])

    @asynccontextmanager
    async def acting(self, scope: Scope | None = None) -> AsyncGenerator[Access]:
        """Do something as this person, as they stand now. What is refused is told on the page and goes no further.

        A handler goes on behind the block whether or not all was done: set what it depends on inside.
        """
        try:
            access = await recognise(self.context, self.token, self.project_id)
            if scope is not None and not access.may(scope):
                raise LacksScope(f"This needs the scope `{scope}`, which your role does not have.", scope)
            yield access
        except NotSignedIn:
            here = str(ui.context.client.request.url.path) if ui.context.client.request else "/"
            ui.navigate.to(f"{SIGN_IN}?next={quote(here)}")
        except (Refusal, GreenroomError) as problem:
            tell_problem(problem)
        except (DBAPIError, PoolTimeout) as problem:
            if not is_away(problem):
                raise
            ui.notify(_AWAY, type="negative")


def tell_problem(problem: Refusal | GreenroomError) -> None:
    """Show why something was not done, with each mistake at its place."""
    detail = problem.detail if isinstance(problem, Refusal) else str(problem)
    errors = problem.errors if isinstance(problem, Refusal) else ()
    if isinstance(problem, UserMistake):
        errors = problem.problems
    if len(errors) > 1:
        lines = [f"{field_name(each.path) or 'the whole'}: {each.message}" for each in errors]
        detail = "\n".join(lines)
    ui.notify(detail, type="negative", multi_line=True, timeout=10_000, close_button="Close")


async def _signed_in(request: Request, project_id: str) -> Visitor:
    house = house_of(request)
    token = request.cookies.get(COOKIE, "")
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if not token:
        raise MustSignIn(wanted)
    try:
        access = await recognise(house.context, token, project_id)
    except NotSignedIn:
        raise MustSignIn(wanted) from None
    except NotAllowed:
        raise NotFound("There is no such project, or you are no member of it.") from None
    me = await accounts.myself(house.context, access)
    projects = tuple(me["projects"])
    name = next((each["name"] for each in projects if each["project_id"] == access.project_id), project_id)
    return Visitor(house, token, access, name, projects)


SignedIn = Annotated[Visitor, Depends(_signed_in)]
"""Who looks at a page, as its parameter. A page of a project has `{project_id}` in its path."""


def report_bug(problem: Exception) -> None:
    """Log a bug that a handler of a page met, and tell that there was one."""
    log: Any = structlog.get_logger("greenroom.console")
    log.error("a page of the console failed", exc_info=problem)
