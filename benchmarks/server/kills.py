"""Workers are killed at random moments, again and again: what is lost, played twice or asked twice."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass

from pydantic import SecretStr
from sqlalchemy import text
from tests.support.counting_model import CountingModel, counting_model
from tests.support.service import Service, open_service
from tests.support.worker_process import WorkerProcess

from benchmarks.server.places import MODEL
from greenroom.model.base import Json
from greenroom.server.settings import Settings

LATENCY = 0.05
AT_ONCE = 12
TURNS = 4
LINES = 1 + 2 * TURNS
PRICE = 120
CREDITS = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Survived:
    """What was left of it all. `repeated` counts requests that were answered and written down, and sent again."""

    kills: int
    runs: int
    lost: int
    wrong: int
    repeated: int
    requests: int
    is_balanced: bool


async def kill_workers(settings: Settings, kills: int, workers: int) -> Survived:
    """Kill workers while there are always runs to play; then let all end, and count."""
    async with counting_model(LATENCY) as model:
        house = {"house": {"api_key": "sk-house", "base_url": model.base_url}}
        settings = settings.model_copy(update={"platform_credentials": SecretStr(json.dumps(house))})
        return await _kill(settings, model, kills, workers)


async def _kill(settings: Settings, model: CountingModel, kills: int, workers: int) -> Survived:
    chance = random.Random(20)
    run_ids: list[str] = []
    may_repeat = 0
    async with open_service(settings) as service:
        await service.add_credits(CREDITS)
        running = [asyncio.create_task(WorkerProcess.start(settings)) for _ in range(workers)]
        for kill in range(kills):
            await _keep_busy(service, model, run_ids)
            victim = kill % workers
            worker = await running[victim]
            await model.wait_for(model.total + chance.randint(1, 6))
            await worker.kill()
            may_repeat += len(model.started) - await _remembered(service)
            running[victim] = asyncio.create_task(WorkerProcess.start(settings))
        await service.all_over(run_ids)
        for starting in running:
            await (await starting).stop()
        return await _count(service, model, kills, run_ids, may_repeat)


async def _keep_busy(service: Service, model: CountingModel, run_ids: list[str]) -> None:
    statuses = await service.statuses(run_ids[-3 * AT_ONCE :])
    missing = AT_ONCE - sum(status in ("queued", "running") for status in statuses)
    if missing > AT_ONCE // 2:
        parts = [service.part(_agent(model), _talk(len(run_ids) + number)) for number in range(missing)]
        run_ids += [run.id for run in (await service.start(*parts)).runs]


async def _count(service: Service, model: CountingModel, kills: int, run_ids: list[str], may_repeat: int) -> Survived:
    shown = [await service.show(run_id) for run_id in run_ids]
    lost = sum(run["status"] != "passed" for run in shown)
    asked = sum(sum(entry["calls"] for entry in run["usage"]) for run in shown)  # pyright: ignore
    wrong = sum(len(run["transcript"]) != LINES for run in shown)  # pyright: ignore[reportArgumentType] - a list
    standing = await service.credits()
    paid = standing.balance == CREDITS - PRICE * asked and standing.held == 0
    # Requests that were on their way when their worker died had no answer that could have been kept.
    repeated = max(0, model.total - len(model.started) - may_repeat) + max(0, asked - len(model.started))
    return Survived(kills, len(run_ids), lost, wrong, repeated, model.total, paid and await service.balanced())


async def _remembered(service: Service) -> int:
    query = text("SELECT count(*) FROM run_steps WHERE name LIKE 'model.%'")
    async with service.context.database.reading() as session:
        return int(await session.scalar(query) or 0)


def _agent(model: CountingModel) -> dict[str, Json]:
    llm: Json = {"model": MODEL, "base_url": model.base_url, "credential": "house"}
    return {"name": "Desk", "prompt": "Answer in one sentence.", "greeting": "Desk, hello.", "llm": llm}


def _talk(number: int) -> dict[str, Json]:
    questions: list[Json] = [{"type": "judge", "question": f"Question {each}?"} for each in range(3)]
    return {
        "name": f"Talk {number}",
        "caller": {"persona": f"Caller number {number}, who asks about many things."},
        "max_turns": TURNS,
        "checks": questions,
    }
