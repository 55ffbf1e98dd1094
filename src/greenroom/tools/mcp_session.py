"""One open session with an MCP server."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from typing import IO, TYPE_CHECKING, TextIO, cast

from greenroom.model.agent import McpServer
from greenroom.outgoing.addresses import Guard
from greenroom.tools.mcp_failures import ServerFailed, ServerView, explain, is_disconnection, view_of
from greenroom.tools.mcp_transport import GuardedTransport, Trouble

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.client import Transport

_TAIL_BYTES = 2000
_CLOSING_SECONDS = 10.0
_REQUEST_SECONDS = 300.0


class McpSession:
    """A session, opened at once and owned by a task of its own: the client's cancel scopes must be left by the task
    that entered them, and a talk's calls come from many.

    `test_header` is sent, as `true`, with every request over HTTP.
    """

    def __init__(self, server: McpServer, guard: Guard, test_header: str) -> None:
        self.view: ServerView = view_of(server)
        self._server = server
        self._guard = guard
        self._test_header = test_header
        self._trouble = Trouble()
        self._errors: IO[bytes] | None = None
        self._last_words = ""
        self._http: httpx2.AsyncClient | None = None
        self._closing = asyncio.Event()
        self._failure: BaseException | None = None
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(lambda ready: None if ready.cancelled() else ready.exception())
        self._task = asyncio.create_task(self._live(), name=f"mcp session {server.name}")

    @property
    def is_over(self) -> bool:
        """Whether the session has ended or is ending."""
        return self._closing.is_set() or self._task.done()

    async def client(self) -> Client:
        """The client, once the session is open.

        Raises:
            ServerFailed: it could not be opened.
        """
        try:
            return await asyncio.shield(self._ready)
        except asyncio.CancelledError:
            if not self._ready.cancelled():
                raise
            raise ServerFailed("unreachable", "was closed") from None
        except Exception as error:  # noqa: BLE001 - the client raises whatever its transport met
            raise await self.failed(error) from None

    def mark(self, test_header: str) -> None:
        """Send `test_header` from now on, in place of the one before."""
        if self._http is not None and test_header != self._test_header:
            self._http.headers.pop(self._test_header, None)
            self._http.headers[test_header] = "true"
        self._test_header = test_header

    async def failed(self, error: BaseException) -> ServerFailed:
        """What `error`, raised by the client, means. A session that is gone is closed."""
        # 404 is how a server says that it no longer knows the session.
        if self._trouble.stopped_by is not None or self._trouble.status == 404 or is_disconnection(error):
            await self.close()
        whole = error if self._failure is None else BaseExceptionGroup("", [self._failure, error])
        failure = explain(self.view, whole, self._trouble, self._last_words)
        self._trouble.clear()
        return failure

    async def close(self) -> None:
        """End the session and wait until its program or connection is gone."""
        self._closing.set()
        if not self._ready.done():
            self._task.cancel()
        done, _ = await asyncio.wait({self._task}, timeout=_CLOSING_SECONDS)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_CLOSING_SECONDS)

    async def _live(self) -> None:
        from mcp import Client
        from mcp_types import Implementation

        try:
            async with AsyncExitStack() as stack:
                transport = await self._transport(stack)
                client = await stack.enter_async_context(
                    Client(transport, client_info=Implementation(name="greenroom", version="1"), cache=None)
                )
                self._trouble.clear()
                self._ready.set_result(client)
                await self._closing.wait()
        except asyncio.CancelledError:
            self._ready.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - kept for whoever asks the session next
            self._failure = error
            self._last_words = self._read_last_words()
            if not self._ready.done():
                self._ready.set_exception(error)
        finally:
            self._closing.set()
            self._last_words = self._last_words or self._read_last_words()
            if self._errors is not None:
                self._errors.close()

    async def _transport(self, stack: AsyncExitStack) -> Transport:
        if self._server.command is not None:
            return self._program(self._server.command)
        return await self._connection(self._server.url or "", stack)

    def _program(self, command: str) -> Transport:
        from mcp.client.stdio import StdioServerParameters, stdio_client

        # Not the terminal: what the program writes is shown only when it fails.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the session ends
        parameters = StdioServerParameters(
            command=command,
            args=self._server.args,
            env={name: value.get_secret_value() for name, value in self._server.env.items()},
            encoding_error_handler="replace",
        )
        # Only its file number is used: the program writes what it likes.
        return stdio_client(parameters, errlog=cast("TextIO", self._errors))

    async def _connection(self, url: str, stack: AsyncExitStack) -> Transport:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        headers = {name: value.get_secret_value() for name, value in self._server.headers.items()}
        self._http = await stack.enter_async_context(
            httpx2.AsyncClient(
                transport=GuardedTransport(self._guard, self._trouble),
                headers={**headers, self._test_header: "true"},
                timeout=httpx2.Timeout(30.0, read=_REQUEST_SECONDS),
                follow_redirects=False,
                trust_env=False,
            )
        )
        return streamable_http_client(url, http_client=self._http)

    def _read_last_words(self) -> str:
        """The last line that a program wrote to its error output. Only for one that has ended: it shares the place
        in the file."""
        if self._errors is None or self._errors.closed:
            return ""
        end = self._errors.seek(0, 2)
        self._errors.seek(max(0, end - _TAIL_BYTES))
        lines = self._errors.read().decode("utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")
