"""What every native route is made of: the access it asks for, and requests that may be sent twice.

router = APIRouter(prefix="/v1/things", route_class=Route)

@router.get("/{thing_id}")
async def show_thing(context: CurrentContext, access: ReadsAgents, thing_id: str) -> …
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute

from greenroom.server.idempotency.replaying import answer_once
from greenroom.server.security.access import Requires
from greenroom.server.security.scopes import Scope
from greenroom.server.security.who import Access

Signed = Annotated[Access, Depends(Requires(None))]
ReadsAgents = Annotated[Access, Depends(Requires(Scope.AGENTS_READ))]
WritesAgents = Annotated[Access, Depends(Requires(Scope.AGENTS_WRITE))]
ReadsTests = Annotated[Access, Depends(Requires(Scope.TESTS_READ))]
WritesTests = Annotated[Access, Depends(Requires(Scope.TESTS_WRITE))]
RunsTests = Annotated[Access, Depends(Requires(Scope.TESTS_RUN))]
Admin = Annotated[Access, Depends(Requires(Scope.ADMIN))]

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Route(APIRoute):
    """A route whose POST requests are carried out once for each `Idempotency-Key`."""

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        if "POST" not in (self.methods or ()) or self.required_access is None:
            return handler

        async def handle(request: Request) -> Response:
            key = request.headers.get("idempotency-key")
            return await handler(request) if key is None else await answer_once(request, key, handler)

        return handle

    @property
    def required_access(self) -> Requires | None:
        """What the route asks of whoever calls it; `None` where anybody may."""
        return next((each.call for each in self.dependant.dependencies if isinstance(each.call, Requires)), None)
