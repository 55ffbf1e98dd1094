"""A model on loopback that remembers every request by what it asks, so that none can be repeated unseen.

Speaks OpenAI chat completions. An answer is a function of the request alone, so that whoever asks twice gets the same
answer twice and only the counts differ.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(slots=True)
class CountingModel:
    """What was asked: `started` requests came in, `finished` ones were answered and the answer was sent."""

    latency: float = 0.0
    started: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    base_url: str = ""
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def total(self) -> int:
        """Requests that came in."""
        return self.started.total()

    async def wait_for(self, total: int) -> None:
        """Wait until so many requests have come in."""
        while self.total < total:
            self._changed.clear()
            await self._changed.wait()

    async def answer(self, request: web.Request) -> web.Response:
        asked = await request.json()
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        self.started[key] += 1
        self._changed.set()
        await asyncio.sleep(self.latency)
        answer = web.json_response(
            {
                "id": f"chatcmpl-{key[:12]}",
                "object": "chat.completion",
                "created": 0,
                "model": asked["model"],
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": _words(asked, key)},
                    }
                ],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
            }
        )
        self.finished[key] += 1
        return answer


def _words(asked: dict[str, object], key: str) -> str:
    if "response_format" in asked:
        return json.dumps({"reason": "It did.", "quote": "", "answer": "yes"})
    return f"I see, {key[:8]}: tell me about part {int(key[8:12], 16)} of it."


@asynccontextmanager
async def counting_model(latency: float = 0.0) -> AsyncGenerator[CountingModel]:
    """Serve the model on a free port of loopback."""
    model = CountingModel(latency)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server = site._server
    assert isinstance(server, asyncio.Server)
    model.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield model
    finally:
        await runner.cleanup()
