# The tool is installed only where this runs, so its types are not known here.
# pyright: basic, reportMissingImports=false
"""The talks in langwatch-scenario: its user simulator and its judge around an agent of one's own.

`scenario.run` plays each talk in a thread of its own, which is its recommended way; `min_turns` keeps the judge from
being asked after every turn, so that each talk takes one question.
"""

import asyncio

import scenario
from openai import OpenAI

from benchmarks.others.scripts.arguments import read_arguments
from benchmarks.scene import AGENT_PROMPT, PERSONA, QUESTION

asked = read_arguments()
client = OpenAI(base_url=asked.url, api_key="none")


class Receptionist(scenario.AgentAdapter):
    """The agent: the talk so far goes to the model."""

    async def call(self, input: scenario.AgentInput) -> scenario.AgentReturnTypes:
        """Answer the caller's last line."""
        heard = [{"role": "system", "content": AGENT_PROMPT}, *input.messages]
        # Each talk has a thread of its own, so waiting here holds nobody up.
        completion = client.chat.completions.create(model="agent", messages=heard)
        return completion.choices[0].message.content or ""


async def play_one() -> None:
    """Play one talk."""
    model = {"api_base": asked.url, "api_key": "none"}
    result = await scenario.run(
        name="Moves a visit",
        description=PERSONA,
        agents=[
            Receptionist(),
            scenario.UserSimulatorAgent(model="openai/caller", system_prompt=PERSONA, **model),
            scenario.JudgeAgent(model="openai/judge", criteria=[QUESTION], **model),
        ],
        max_turns=asked.turns,
        min_turns=asked.turns,
        verbose=False,
    )
    if not result.success or len(result.messages) != 2 * asked.turns:
        raise RuntimeError(f"{len(result.messages)} messages; {result.reasoning}")


async def play_all() -> None:
    """Play them all, at most so many at once."""
    free = asyncio.Semaphore(asked.concurrency)

    async def wait_and_play() -> None:
        async with free:
            await play_one()

    await asyncio.gather(*(wait_and_play() for _ in range(asked.talks)))


asyncio.run(play_all())
