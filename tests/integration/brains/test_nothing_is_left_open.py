"""A batch over real connections, some of them broken, leaves nothing open behind."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from itertools import count

from tests.support.model_server import Broken, Heard, ModelServer, RefusingFirst, Status
from tests.support.model_server_director import Director
from tests.support.model_server_requests import KEYS
from tests.support.model_server_types import Reply

from greenroom.batch import BatchOptions, plan_runs, play_batch
from greenroom.local import open_ports
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.llm import ScriptRule

RUNS = 60
# Two, so that even a request that meets both, and is turned away before, has a try left.
DROPPED = (20, 100)
RULES = [
    ScriptRule(when="hello", say="Booked for Monday."),
    ScriptRule(when="thanks", say="Goodbye.", hang_up=True),
    ScriptRule(role="caller", when="booked", say="Thanks a lot, then."),
    ScriptRule(role="caller", say="Hello, a booking, please."),
    ScriptRule(role="judge", answer="yes", reason="It was booked.", quote="Booked for Monday."),
]


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


def own_threads() -> list[str]:
    """The threads beside the event loop's own pool, which grows as it is used."""
    return [thread.name for thread in threading.enumerate() if not thread.name.startswith("asyncio_")]


def agent_of(server: ModelServer) -> Agent:
    llm = {"model": "openai:gpt-4.1-mini", "base_url": server.openai_url}
    return Agent.model_validate(
        {"name": "Desk", "prompt": "You book.", "greeting": "Desk.", "can_end_call": True, "llm": llm}
    )


async def play() -> Counter[str]:
    """A batch against a server that turns requests away and drops connections; how its runs went."""
    director, number, numbers = Director(RULES), count(), count()

    async def answer(heard: Heard) -> Reply:
        return Broken("drop") if next(number) in DROPPED else await director(heard)

    checks = [{"type": "judge", "question": "Was it booked?"}]
    test = Test.model_validate({"name": "Books", "caller": {"persona": "Ravi."}, "checks": checks, "repeat": RUNS})
    async with ModelServer(RefusingFirst(Status(429, retry_after="0"), answer)) as server:
        plans = plan_runs(test, agent_of(server), new_id=lambda: f"run_{next(numbers)}")
        async with open_ports(environ=KEYS) as ports:
            result = await play_batch(plans, ports, options=BatchOptions(concurrency=20))
    await asyncio.sleep(0)  # what was closed is let go of at the loop's next step
    return Counter(run.status for run in result.runs)


async def test_a_batch_leaves_no_connection_task_or_thread_open() -> None:
    await play()  # loads the libraries and starts the threads that stay
    files, threads = open_files(), own_threads()
    assert await play() == {"passed": RUNS}
    assert (open_files(), own_threads()) == (files, threads)
    assert asyncio.all_tasks() == {asyncio.current_task()}
