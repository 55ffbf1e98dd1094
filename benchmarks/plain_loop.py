"""The hand-written loop that Greenroom is measured against.

What one writes in an afternoon: asyncio, the official `openai` SDK with its default client, two lists of messages.
No checks but one judge question, no limits, no retries of its own, no recording.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from openai import AsyncOpenAI

from benchmarks.scene import AGENT_PROMPT, GREETING, PERSONA, QUESTION

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.shared_params import ResponseFormatJSONSchema

ANSWER: ResponseFormatJSONSchema = {
    "type": "json_schema",
    "json_schema": {
        "name": "answer",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"yes": {"type": "boolean"}, "reason": {"type": "string"}, "quote": {"type": "string"}},
            "required": ["yes", "reason", "quote"],
            "additionalProperties": False,
        },
    },
}


async def play_talk(client: AsyncOpenAI, turns: int) -> bool:
    """Play one talk and have it judged."""
    heard_by_caller: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": PERSONA},
        {"role": "user", "content": GREETING},
    ]
    heard_by_agent: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": AGENT_PROMPT},
        {"role": "assistant", "content": GREETING},
    ]
    transcript = [f"Agent: {GREETING}"]
    for _ in range(turns):
        line = await _ask(client, "caller", heard_by_caller)
        heard_by_caller.append({"role": "assistant", "content": line})
        heard_by_agent.append({"role": "user", "content": line})
        reply = await _ask(client, "agent", heard_by_agent)
        heard_by_agent.append({"role": "assistant", "content": reply})
        heard_by_caller.append({"role": "user", "content": reply})
        transcript += [f"Caller: {line}", f"Agent: {reply}"]
    return await _judge(client, transcript)


async def _ask(client: AsyncOpenAI, model: str, messages: list[ChatCompletionMessageParam]) -> str:
    completion = await client.chat.completions.create(model=model, messages=messages)
    return completion.choices[0].message.content or ""


async def _judge(client: AsyncOpenAI, transcript: list[str]) -> bool:
    completion = await client.chat.completions.create(
        model="judge",
        messages=[
            {"role": "system", "content": "You judge a talk between a caller and an agent. Answer with JSON."},
            {"role": "user", "content": "\n".join(transcript) + f"\n\n{QUESTION}"},
        ],
        response_format=ANSWER,
    )
    return bool(json.loads(completion.choices[0].message.content or "{}").get("yes"))


class PlainLoop:
    """The loop, with one client for all its talks."""

    def __init__(self, url: str) -> None:
        self._client = AsyncOpenAI(base_url=url, api_key="none")

    async def play(self, talks: int, turns: int, concurrency: int) -> None:
        """Play `talks` talks, at most `concurrency` at once."""
        free = asyncio.Semaphore(concurrency)

        async def play_one() -> None:
            async with free:
                if not await play_talk(self._client, turns):
                    raise RuntimeError("the judge said no, which it never does here")

        await asyncio.gather(*(play_one() for _ in range(talks)))

    async def close(self) -> None:
        await self._client.close()
