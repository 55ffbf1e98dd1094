"""Around every request: its id, the limit of its body, its line in the log, its place in the metrics, and what is told
when something of ours breaks."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from greenroom.server.database.ids import new_id
from greenroom.server.metrics import Metrics
from greenroom.server.problems import TooLarge, problem_response

REQUEST_ID = "X-Request-Id"
_GIVEN_ID = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_QUIET = frozenset({"/livez", "/readyz", "/metrics"})


class AroundRequests:
    """The outermost layer of the app."""

    def __init__(self, app: ASGIApp, *, body_bytes: int, metrics: Metrics) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._metrics = metrics
        self._log: Any = structlog.get_logger("greenroom.http")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        exchange = _Exchange(receive, send, request_id, self._body_bytes, _length(scope))
        began = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, exchange.receive, exchange.send)
            except TooLarge as refusal:
                await exchange.answer(scope, int(refusal.status), refusal.title, refusal.detail)
            except Exception:  # noqa: BLE001 - the last resort: a client never sees a traceback
                self._log.exception("request failed", method=scope["method"], path=scope["path"])
                await exchange.answer(
                    scope,
                    500,
                    "Greenroom itself failed",
                    "This is a bug of Greenroom's, not of your request. Its log tells more under this request's id.",
                )
            finally:
                self._note(scope, exchange, time.perf_counter() - began)

    def _note(self, scope: Scope, exchange: _Exchange, seconds: float) -> None:
        path = getattr(scope.get("route"), "path", None)
        route = f"{scope.get('root_path', '')}{path}" if path else "none"
        self._metrics.note_request(scope["method"], route, exchange.status, seconds)
        if scope["path"] not in _QUIET:
            access = scope["state"].get("access")
            self._log.info(
                "request",
                method=scope["method"],
                path=scope["path"],
                status=exchange.status,
                milliseconds=round(seconds * 1000, 1),
                project=getattr(access, "project_id", None),
                actor=getattr(access, "actor_id", None),
            )


class _Exchange:
    """One request and its answer, watched."""

    def __init__(self, receive: Receive, send: Send, request_id: str, body_bytes: int, length: int) -> None:
        self._receive = receive
        self._send = send
        self._request_id = request_id
        self._left = body_bytes
        self._most = body_bytes
        self._length = length
        self.status = 0

    async def receive(self) -> Message:
        # Refused where the body is asked for, so that each surface tells of it in its own words.
        if self._length > self._most:
            raise self._too_large()
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), (REQUEST_ID.lower().encode(), self._request_id.encode())]
        await self._send(message)

    async def answer(self, scope: Scope, status: int, title: str, detail: str) -> None:
        """Tell of a problem, where nothing was answered yet."""
        if self.status == 0:
            response = problem_response(status, title, detail, request_id=self._request_id)
            await response(scope, self._receive, self.send)

    def _too_large(self) -> TooLarge:
        return TooLarge(f"The body is larger than {self._most:,} bytes: send less at once.")


def _length(scope: Scope) -> int:
    """How long the body is said to be; 0 where nothing is said."""
    written = dict(scope["headers"]).get(b"content-length", b"0")
    return int(written) if written.isdigit() and len(written) < 20 else 0


def _request_id(scope: Mapping[str, Any]) -> str:
    given = dict(scope["headers"]).get(REQUEST_ID.lower().encode(), b"")
    return given.decode("ascii") if _GIVEN_ID.fullmatch(given) else new_id("req")
