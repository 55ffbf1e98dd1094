# The tool is installed only where this runs, so its types are not known here.
# pyright: basic, reportMissingImports=false
"""The talks in deepeval: its conversation simulator, then one conversational G-Eval metric over all of them.

The goldens name no expected outcome, since deepeval would ask a model before every turn whether it is reached; the
metric gets its steps written, since it would ask a model to write them.
"""

from deepeval import evaluate
from deepeval.dataset import ConversationalGolden
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.metrics import ConversationalGEval
from deepeval.models import LocalModel
from deepeval.simulator import ConversationSimulator
from deepeval.test_case import MultiTurnParams, Turn
from openai import AsyncOpenAI

from benchmarks.others.scripts.arguments import read_arguments
from benchmarks.scene import AGENT_PROMPT, PERSONA, QUESTION

asked = read_arguments()
client = AsyncOpenAI(base_url=asked.url, api_key="none")


def model(name: str) -> LocalModel:
    """A model of deepeval's that speaks the OpenAI protocol with an address of one's own."""
    return LocalModel(model=name, base_url=asked.url, api_key="none")


async def answer(turns: list[Turn]) -> Turn:
    """The agent: the talk so far goes to the model."""
    heard: list = [{"role": "system", "content": AGENT_PROMPT}]
    heard += [{"role": turn.role, "content": turn.content} for turn in turns]
    completion = await client.chat.completions.create(model="agent", messages=heard)
    return Turn(role="assistant", content=completion.choices[0].message.content or "")


simulator = ConversationSimulator(
    model_callback=answer, simulator_model=model("caller"), max_concurrent=asked.concurrency
)
cases = simulator.simulate(
    [ConversationalGolden(scenario=PERSONA) for _ in range(asked.talks)], max_user_simulations=asked.turns
)
result = evaluate(
    cases,
    [
        ConversationalGEval(
            name="Reads the time back",
            evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
            evaluation_steps=[QUESTION],
            model=model("judge"),
        )
    ],
    async_config=AsyncConfig(max_concurrent=asked.concurrency),
    display_config=DisplayConfig(print_results=False, inspect_after_run=False),
)
if [len(case.turns) for case in cases] != [2 * asked.turns] * asked.talks:
    raise RuntimeError("a talk was shorter or longer than asked for")
if not all(each.success for each in result.test_results):
    raise RuntimeError("the judge said no, which it never does here")
