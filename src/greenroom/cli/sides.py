"""The two sides of a comparison: what A and B stand for, and the same tests with the agents of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from greenroom.cli.playing import shown_path
from greenroom.files.agents import load_agents
from greenroom.files.suite import Case, Suite
from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm
from greenroom.model.rules import nearest

AS_WRITTEN = "as-written"
_MODEL, _PROMPT = "model:", "prompt:"
_YAML = (".yaml", ".yml")
_FORMS = f"`{AS_WRITTEN}`, `model:PROVIDER:NAME`, `prompt:FILE`, or a YAML file"


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its name in the result, and the suite as it makes it. `keeps_model`: `--model` does not change it."""

    label: str
    change: Callable[[Suite], Suite]
    keeps_model: bool = False


def is_yaml(text: str) -> bool:
    """Whether a side is a YAML file."""
    return text.lower().endswith(_YAML)


def read_side(text: str, variants: Sequence[str]) -> Side:
    """What `text` stands for. `variants` are those that the files know.

    Raises:
        UserMistake: it stands for nothing; or its file cannot be read or has mistakes.
    """
    if text in variants:
        return Side(text, lambda suite: suite.with_variant(text))
    if text == AS_WRITTEN:
        return Side(text, lambda suite: suite)
    if text.startswith(_MODEL):
        model = text.removeprefix(_MODEL)
        return Side(model, lambda suite: suite.with_model(model), keeps_model=True)
    if text.startswith(_PROMPT):
        path = text.removeprefix(_PROMPT)
        _require_file(Path(path).expanduser())
        return Side(path, lambda suite: suite.override({"prompt": f"@{path}"}))
    if is_yaml(text):
        return _file_side(Path(text))
    raise UserMistake(_unknown(text, variants))


def _unknown(text: str, variants: Sequence[str]) -> str:
    start = f"`{text}` is nothing to compare"
    if near := nearest(text, (*variants, AS_WRITTEN)):
        return f"{start}; did you mean `{near}`?"
    if text.count(":") == 1:
        return f"{start}; did you mean `{_MODEL}{text}`?"
    known = f"a variant of the files ({', '.join(f'`{name}`' for name in variants)}), " if variants else ""
    return f"{start}: name {known}{_FORMS}"


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise UserMistake(f"There is no file `{path}` to compare: check its spelling")


def _file_side(path: Path) -> Side:
    _require_file(path)
    loaded = load_agents(path, environ=os.environ).cases

    def change(suite: Suite) -> Suite:
        cases = tuple(_with_agent_of(case, path, loaded) for case in suite.cases)
        # Setting nothing still holds every test against its new agent.
        return replace(suite, cases=cases).override({})

    return Side(shown_path(path), change)


def _with_agent_of(case: Case, path: Path, loaded: Sequence[Case]) -> Case:
    found = next((other for other in loaded if other.agent.name == case.agent.name), None)
    if found is None and len(loaded) == 1:
        found = loaded[0]
    if found is None:
        names = ", ".join(f"`{other.agent.name}`" for other in loaded)
        raise UserMistake(
            f"{shown_path(path)}: there is no agent `{case.agent.name}` for the test `{case.test.name}`; it has {names}"
        )
    return replace(
        case,
        agent=found.agent,
        others=found.others,
        credentials={**case.credentials, **found.credentials},
        unset_credentials={**case.unset_credentials, **found.unset_credentials},
        players=found.players,
    )


def with_same_company(case: Case, base: Case) -> Case:
    """The case of a side, with the caller and the judge that the tests have as they are written: what is compared is
    the agent, and who calls and who judges must be the same on both sides."""
    caller, judge = company(base.agent)
    changes = {
        name: llm for name, llm in (("caller_llm", caller), ("judge_llm", judge)) if llm is not None
    }  # an agent that lives elsewhere may have neither
    return replace(
        case,
        agent=case.agent.model_copy(update=changes),
        credentials={**base.credentials, **case.credentials},
        unset_credentials={**base.unset_credentials, **case.unset_credentials},
    )


def company(agent: Agent) -> tuple[Llm | None, Llm | None]:
    """The models that play the caller and the judge in tests of an agent."""
    return agent.caller_llm or agent.llm, agent.judge_llm or agent.llm
