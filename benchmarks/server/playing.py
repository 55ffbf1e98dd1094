"""One measured process: a worker that plays talks of the queue, and prints what they cost as a line of JSON.

    GREENROOM_DATABASE_URL=… python -m benchmarks.server.playing --model http://127.0.0.1:8123/v1 --talks 100

With `--no-worker` it only starts the runs and waits for them: workers in other processes play them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import json
import math
import time

import uvloop
from sqlalchemy import text
from tests.support.service import Service, open_service

from benchmarks.scene import AGENT_PROMPT, GREETING, PERSONA, QUESTION
from benchmarks.server.places import MODEL
from benchmarks.worker import WARM_UP_TALKS, Cost, StallWatch, forget_peak, memory, processor_time
from greenroom.model.base import Json
from greenroom.server.collecting import collect_rarely
from greenroom.server.runs.working import open_working
from greenroom.server.settings import read_settings

STEP = 0.1


def agent(url: str) -> dict[str, Json]:
    """The agent of the first table, with its three models."""

    def llm(name: str) -> Json:
        return {"model": f"openai-compatible:{name}", "base_url": url}

    return {
        "name": "Northline Dental",
        "prompt": AGENT_PROMPT,
        "greeting": GREETING,
        "llm": {"model": MODEL, "base_url": url},
        "caller_llm": llm("caller"),
        "judge_llm": llm("judge"),
    }


def talk(turns: int, repeat: int) -> dict[str, Json]:
    """The talk of the first table."""
    return {
        "name": "Moves a visit",
        "caller": {"persona": PERSONA},
        "max_turns": turns,
        "checks": [{"type": "judge", "question": QUESTION}],
        "repeat": repeat,
    }


async def play(service: Service, url: str, talks: int, turns: int, spread: float) -> None:
    """Start talks over `spread` seconds, and wait until all are over."""
    steps = min(talks, max(1, math.ceil(spread / STEP)))
    sizes = [talks // steps + (number < talks % steps) for number in range(steps)]
    began = time.perf_counter()
    for number, size in enumerate(sizes):
        await asyncio.sleep(max(0.0, number * spread / steps - (time.perf_counter() - began)))
        await service.start(service.part(agent(url), talk(turns, size)))
    while await _count(service, "status IN ('queued', 'running')"):  # noqa: ASYNC110 - other processes may play them
        await asyncio.sleep(0.05)
    failed = await _count(service, "status <> 'passed'")
    if failed:
        raise RuntimeError(f"{failed} runs did not pass")


async def _count(service: Service, which: str) -> int:
    async with service.context.database.reading() as session:
        return int(await session.scalar(text(f"SELECT count(*) FROM runs WHERE {which}")) or 0)


async def measure(asked: argparse.Namespace) -> Cost:
    """Play as the arguments say."""
    async with contextlib.AsyncExitStack() as stack:
        service = await stack.enter_async_context(open_service(read_settings()))
        if asked.worker:
            await stack.enter_async_context(open_working(service.context, service.queue, service.policies, grace=0))
        await play(service, asked.model, WARM_UP_TALKS, asked.turns, 0)
        collect_rarely()
        stalls = StallWatch()
        watching = asyncio.create_task(stalls.watch()) if asked.watch_stalls else None
        forget_peak()
        before, used, began = memory("VmRSS"), processor_time(), time.perf_counter()
        await play(service, asked.model, asked.talks, asked.turns, asked.spread)
        wall, used, peak = time.perf_counter() - began, processor_time() - used, memory("VmHWM")
        if watching:
            watching.cancel()
        return Cost(wall=wall, cpu=used, peak=peak, grown=max(0, peak - before), stall=stalls.longest)


def main() -> None:
    """Measure, and print the cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--talks", type=int, required=True)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--spread", type=float, default=0.0)
    parser.add_argument("--worker", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--watch-stalls", action="store_true")
    print(json.dumps(dataclasses.asdict(uvloop.run(measure(parser.parse_args())))))


if __name__ == "__main__":
    main()
