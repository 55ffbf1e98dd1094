"""A worker in a process of its own, that can be killed at any moment.

    python -m tests.support.worker_process      # with GREENROOM_… in the environment

Prints its id once it works, and works until its standard input closes.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from greenroom.server.context import open_context
from greenroom.server.doors.registry import all_policies
from greenroom.server.queue.client import open_queue
from greenroom.server.runs.working import open_working
from greenroom.server.settings import Settings, read_settings

ROOT = Path(__file__).resolve().parents[2]


class WorkerProcess:
    """A worker that was started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @staticmethod
    async def start(settings: Settings) -> WorkerProcess:
        """Start a worker with these settings, and wait until it works."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.support.worker_process",
            cwd=ROOT,
            env={**os.environ, **environment_of(settings)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        line = await process.stdout.readline()
        assert line.startswith(b"worker-"), line
        return WorkerProcess(process)

    async def kill(self) -> None:
        """End it as a power cut would."""
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> int:
        """Let it end in good order; its exit status."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return await self._process.wait()


def environment_of(settings: Settings) -> Mapping[str, str]:
    """The environment that gives a process these settings."""
    written: dict[str, str] = {}
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if value is not None:
            text = value.get_secret_value() if hasattr(value, "get_secret_value") else str(value)
            written[f"GREENROOM_{name.upper()}"] = text
    return written


async def _work() -> None:
    settings = read_settings()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with open_context(settings, migrate=False) as context, open_queue(settings.url, migrate=False) as queue:
        policies = all_policies(settings)
        async with open_working(context, queue, policies, grace=0) as worker_id:
            sys.stdout.write(f"{worker_id}\n")
            sys.stdout.flush()
            await reader.read()


if __name__ == "__main__":
    asyncio.run(_work())
