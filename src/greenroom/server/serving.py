"""Running the service: API and worker in one process, or each in its own."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from greenroom.model.errors import UserMistake
from greenroom.server.accounts import service as accounts
from greenroom.server.accounts.members import welcome_link
from greenroom.server.app import create_app
from greenroom.server.collecting import collect_rarely
from greenroom.server.context import Context, open_context
from greenroom.server.doors.registry import all_policies
from greenroom.server.preparing import prepare
from greenroom.server.queue.client import open_queue
from greenroom.server.runs.working import open_working
from greenroom.server.settings import Settings

_BACKLOG = 2048
_LAST_SECONDS = 10


async def serve(settings: Settings, *, worker: bool, tell: Callable[[str], None]) -> None:
    """Serve the API until the process is asked to stop; with `worker`, play runs too. `tell` prints a line.

    Raises:
        UserMistake: the address cannot be listened on, or something is wrong with the settings.
    """
    with _listening(settings.host, settings.port) as listener:
        port = listener.getsockname()[1]
        settings = settings.model_copy(update={"port": port})

        @asynccontextmanager
        async def companion(app: FastAPI, context: Context) -> AsyncGenerator[None]:
            async with open_runs(app, context, worker=worker):
                yield

        app = create_app(settings, companions=(companion,))
        server = _Server(
            uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=True,
                forwarded_allow_ips=settings.trusted_proxies,
                timeout_graceful_shutdown=_LAST_SECONDS,
            )
        )
        async with app.router.lifespan_context(app):
            context: Context = app.state.context
            collect_rarely()
            tell(f"Greenroom listens on {_address(settings)}")
            token = await accounts.first_link(context)
            if token is not None:
                tell(f"Nobody has an account yet. Set the first password, once, at {welcome_link(context, token)}")
            with _stopped_by(lambda: setattr(server, "should_exit", True)):
                await server.serve(sockets=[listener])


async def work(settings: Settings, *, tell: Callable[[str], None]) -> None:
    """Play runs until the process is asked to stop. `tell` prints a line."""
    stopped = asyncio.Event()
    async with open_context(settings) as context:
        await prepare(context)
        policies = all_policies(settings)
        async with open_queue(settings.url) as queue, open_working(context, queue, policies) as worker_id:
            collect_rarely()
            tell(f"Greenroom plays runs as {worker_id}")
            with _stopped_by(stopped.set):
                await stopped.wait()


@asynccontextmanager
async def open_runs(app: FastAPI, context: Context, *, worker: bool) -> AsyncGenerator[None]:
    """What the routes of runs need beside the context, in `app.state`; with `worker`, somebody who plays them too."""
    app.state.policies = policies = all_policies(context.settings)
    async with contextlib.AsyncExitStack() as stack:
        app.state.queue = queue = await stack.enter_async_context(open_queue(context.settings.url))
        if worker:
            await stack.enter_async_context(open_working(context, queue, policies))
        yield


class _Server(uvicorn.Server):
    """Uvicorn, but signals are ours: what is open closes before the process ends."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@contextlib.contextmanager
def _stopped_by(stop: Callable[[], None]) -> Generator[None]:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C raises KeyboardInterrupt there
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError):
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


@contextlib.contextmanager
def _listening(host: str, port: int) -> Generator[socket.socket]:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as problem:
        why = getattr(problem, "strerror", None) or "there is no such address"
        raise UserMistake(f"{host}, port {port}, cannot be listened on: {why}. Take another with --port.") from None
    with listener:
        listener.setblocking(False)
        yield listener


def _address(settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return settings.public_url or f"http://{host}:{settings.port}"
