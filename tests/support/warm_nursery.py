"""The process that warm programs are forked from: it loads the libraries, then forks itself for each order."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import random
import runpy
import signal
import socket
import sys
import threading
import traceback
from io import TextIOWrapper
from typing import Any

import greenroom

# What takes long to load. Nothing of pytest's and none of its plug-ins: pytest must load those itself.
_LIBRARIES = (
    "aiohttp",
    "anthropic",
    "argon2",
    "bm25s",
    "cryptography.fernet",
    "dbos",
    "fastapi",
    "genai_prices",
    "google.genai",
    "httpx",
    "jinja2",
    "jsonschema_rs",
    "mcp.client.session",
    "mcp.server.mcpserver",
    "openai",
    "psycopg",
    "pydantic_ai.direct",
    "pydantic_ai.models.anthropic",
    "pydantic_ai.models.google",
    "pydantic_ai.models.openai",
    "rich.console",
    "rich.live",
    "rich.table",
    "ruamel.yaml",
    "sqlalchemy.ext.asyncio",
    "structlog",
    "typer",
    "uvicorn",
    "uvloop",
)

# What pytest must load itself, and what does something when it is loaded.
_LEFT = (
    "greenroom.__main__",
    "greenroom.pytest_plugin",
    "greenroom.testing",
    "greenroom.server.console",
    "greenroom.server.database.migrations",
)


def main(line: socket.socket) -> None:
    """Load the libraries, then fork for each order until nobody orders any more."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    for found in pkgutil.walk_packages(greenroom.__path__, "greenroom."):
        if not found.name.startswith(_LEFT):
            importlib.import_module(found.name)
    gc.collect()
    gc.freeze()  # the garbage collection of a program need not look at what was loaded here
    while True:
        message, found, _, _ = socket.recv_fds(line, 1_000_000, 3)
        if not message:
            return
        order: dict[str, Any] = json.loads(message)
        numbers = list(found)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            line.close()
            os.close(reading)
            grandchild = os.fork()
            if grandchild == 0:
                os.close(writing)
                _become(order, numbers)
            os.write(writing, str(grandchild).encode())
            os._exit(0)  # whoever ordered the program is its parent now
        os.close(writing)
        for number in numbers:
            os.close(number)
        os.waitpid(child, 0)
        with os.fdopen(reading, "rb") as told:
            line.send(told.read())


def _become(order: dict[str, Any], numbers: list[int]) -> None:
    """Be the program that was ordered, as far as it can see."""
    if order["new_session"]:
        os.setsid()
    for own, number in enumerate(numbers):
        os.dup2(number, own)
    for number in set(numbers) - {0, 1, 2}:
        os.close(number)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environ"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()
    sys.stdin, sys.stdout, sys.stderr = (_stream(own) for own in range(3))
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    dash, module, *words = order["words"]
    assert dash == "-m"
    sys.argv = [module, *words]
    sys.path[0] = order["folder"]
    code = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    # As Python ends, but for the taking apart of all that was loaded, which takes a second.
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - waits for threads
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] - as above
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _stream(number: int) -> TextIOWrapper:
    """A standard stream, as Python opens it at the start in a UTF-8 locale."""
    if number == 0:
        return open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    raw = os.fdopen(number, "wb", 0 if number == 2 else -1, closefd=False)
    is_line_by_line = number == 2 or os.isatty(number)
    errors = "backslashreplace" if number == 2 else "surrogateescape"
    return TextIOWrapper(raw, "utf-8", errors, line_buffering=is_line_by_line, write_through=number == 2)  # pyright: ignore[reportArgumentType] - a raw file is written through


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        main(orders)
