"""Workers are killed while they play: nothing is lost, nothing is played twice, nothing is paid twice."""

from __future__ import annotations

import asyncio
import json
import random

from pydantic import SecretStr
from sqlalchemy import text
from tests.support.counting_model import CountingModel, counting_model
from tests.support.service import Service, open_service
from tests.support.worker_process import WorkerProcess

from greenroom.model.base import Json
from greenroom.server.settings import Settings

MODEL = "openai-compatible:desk"
PRICE = {"input": 1_000_000, "output": 2_000_000}  # a request of 100 and 10 tokens costs 120 millionths
KILLS = 4
RUNS = 8


def agent(model: CountingModel) -> dict[str, Json]:
    llm: Json = {"model": MODEL, "base_url": model.base_url, "credential": "house"}
    return {"name": "Desk", "prompt": "Answer in one sentence.", "greeting": "Desk, hello.", "llm": llm}


def talk(number: int) -> dict[str, Json]:
    questions: list[Json] = [{"type": "judge", "question": f"Question {each}?"} for each in range(3)]
    return {
        "name": f"Talk {number}",
        "caller": {"persona": f"Caller number {number}, who asks about many things."},
        "max_turns": 4,
        "checks": questions,
    }


async def remembered(service: Service) -> int:
    """How many answers of models is written down."""
    query = text("SELECT count(*) FROM run_steps WHERE name LIKE 'model.%'")
    async with service.context.database.reading() as session:
        return int(await session.scalar(query) or 0)


async def test_runs_survive_the_death_of_their_workers(settings: Settings) -> None:
    chance = random.Random(7)
    async with counting_model(latency=0.05) as model:
        house = {"house": {"api_key": "sk-house", "base_url": model.base_url}}
        settings = settings.model_copy(
            update={
                "platform_credentials": SecretStr(json.dumps(house)),
                "platform_prices": json.dumps({MODEL: PRICE}),
            }
        )
        settings.model_fields_set.update({"platform_credentials", "platform_prices"})
        count = 1 if "sqlite" in settings.url else 2
        async with open_service(settings) as service:
            await service.add_credits(1_000_000)
            workers = [asyncio.create_task(WorkerProcess.start(settings)) for _ in range(count)]
            started = await service.start(*(service.part(agent(model), talk(number)) for number in range(RUNS)))
            run_ids = [run.id for run in started.runs]
            may_repeat = 0
            for kill in range(KILLS):
                victim = kill % count
                worker = await workers[victim]
                await model.wait_for(model.total + chance.randint(1, 5))
                await worker.kill()
                may_repeat += len(model.started) - await remembered(service)
                workers[victim] = asyncio.create_task(WorkerProcess.start(settings))
            await service.all_over(run_ids)
            for starting in workers:
                assert await (await starting).stop() == 0

            shown = [await service.show(run_id) for run_id in run_ids]
            assert {run["status"] for run in shown} == {"passed"}
            assert [len(run["transcript"]) for run in shown] == [9] * RUNS
            assert model.total - len(model.started) <= may_repeat
            asked = {run["id"]: sum(entry["calls"] for entry in run["usage"]) for run in shown}
            assert len(model.started) == sum(asked.values())
            assert [run["charged"] for run in shown] == [asked[run["id"]] * 120 / 1_000_000 for run in shown]
            assert await service.balanced()
            standing = await service.credits()
            assert standing.held == 0
            assert standing.balance == 1_000_000 - 120 * sum(asked.values())
            assert await remembered(service) == len(model.started)
