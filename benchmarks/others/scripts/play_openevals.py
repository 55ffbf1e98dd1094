# The tool is installed only where this runs, so its types are not known here.
# pyright: basic, reportMissingImports=false
"""The talks in openevals: its multi-turn simulation with its simulated user, and its judge as trajectory evaluator."""

import asyncio

from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from openevals.llm import create_async_llm_as_judge
from openevals.simulators import create_async_llm_simulated_user, run_multiturn_simulation_async

from benchmarks.others.scripts.arguments import read_arguments
from benchmarks.scene import AGENT_PROMPT, PERSONA, QUESTION

asked = read_arguments()
client = AsyncOpenAI(base_url=asked.url, api_key="none")
caller = create_async_llm_simulated_user(
    system=PERSONA, client=ChatOpenAI(model="caller", base_url=asked.url, api_key="none")
)
judge = create_async_llm_as_judge(
    prompt=f"{QUESTION}\n\n{{outputs}}", judge=ChatOpenAI(model="judge", base_url=asked.url, api_key="none")
)
talks: dict[str, list] = {}


async def answer(message: dict, *, thread_id: str) -> dict:
    """The agent: the talk so far goes to the model. Only the last line is handed in, so the rest is kept here."""
    heard = talks.setdefault(thread_id, [{"role": "system", "content": AGENT_PROMPT}])
    heard.append({"role": "user", "content": message["content"]})
    completion = await client.chat.completions.create(model="agent", messages=heard)
    said = {"role": "assistant", "content": completion.choices[0].message.content or ""}
    heard.append(said)
    return dict(said)


async def play_one(number: int) -> None:
    """Play one talk."""
    result = await run_multiturn_simulation_async(
        app=answer,
        user=caller,
        trajectory_evaluators=[judge],
        max_turns=asked.turns,
        thread_id=f"talk-{number}",
    )
    scores = [each["score"] for each in result["evaluator_results"]]
    if len(result["trajectory"]) != 2 * asked.turns or scores != [True]:
        raise RuntimeError(f"{len(result['trajectory'])} messages with the scores {scores}")


async def play_all() -> None:
    """Play them all, at most so many at once."""
    free = asyncio.Semaphore(asked.concurrency)

    async def wait_and_play(number: int) -> None:
        async with free:
            await play_one(number)

    await asyncio.gather(*(wait_and_play(number) for number in range(asked.talks)))


asyncio.run(play_all())
