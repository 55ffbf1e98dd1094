"""Vapi simulations: a scenario says what the caller wants and what must come of it, a personality how the caller is.

Vapi's API and files keep the parts apart and name them by id. What lies in the same file is put together again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.importers.builder import Builder
from greenroom.importers.checks import Checks, parsed
from greenroom.importers.drafts import END_CALL, GIVEN, AgentDraft, read_llm
from greenroom.importers.source import Fields, Path
from greenroom.model.base import Json
from greenroom.model.case import ToolMock
from greenroom.model.checks import Criterion
from greenroom.model.llm import Llm
from greenroom.model.text import shorten

_LISTS = ("scenarios", "personalities", "structured_outputs", "simulations", "suites")
_KEPT = "it says where and when Vapi keeps it"
_CALLER_MODEL = "how the caller sounds and which model plays it: name a model in the agent's `caller_llm`"
_PROVIDERS = frozenset({"openai", "anthropic", "google", "groq", "mistral"})
_COMPARED = {
    "=": "is",
    "!=": "is not",
    ">": "is more than",
    "<": "is less than",
    ">=": "is at least",
    "<=": "is at most",
}


def is_part_of_simulations(data: Mapping[str, Json]) -> bool:
    """Whether an object is a scenario, a simulation, a suite, a request to run some, or a collection of them."""
    if "instructions" in data and "evaluations" in data:
        return True
    if "scenarioId" in data or isinstance(data.get("scenario"), dict) or "simulationIds" in data:
        return True
    listed = [data.get(name) for name in ("scenarios", "simulations")]
    return any(
        isinstance(item, dict) and is_part_of_simulations(item)
        for items in listed
        if isinstance(items, list)
        for item in items
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """What a simulation pairs, and what it says itself."""

    path: Path
    name: str | None = None
    id: str | None = None
    scenario: Fields | None = None
    personality: Fields | None = None


class Simulations:
    """Collects the parts of simulations, in any order, and makes tests of them at the end."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._scenarios: dict[str, Fields] = {}
        self._personalities: dict[str, Fields] = {}
        self._outputs: dict[str, Fields] = {}
        self._entries: list[Fields] = []
        self._suites: list[Fields] = []
        self._repeat: int | None = None

    def add(self, fields: Fields) -> None:
        """Take a part, or an object that holds several."""
        if any(isinstance(fields.peek(name), list) for name in _LISTS):
            self._add_all(fields)
        elif fields.has("simulation_ids"):
            self._suites.append(fields)
        elif fields.has("scenario") or fields.has("scenario_id") or fields.has("simulation_id"):
            self._entries.append(fields)
        elif fields.has("instructions"):
            self._scenarios[self._id(fields)] = fields
        elif fields.has("assistant"):
            self._personalities[self._id(fields)] = fields
        elif fields.has("schema"):
            self._outputs[self._id(fields)] = fields
        else:
            fields.note("this object", "it is no eval, and no part of a simulation")

    def finish(self) -> None:
        """Make the tests: one for each simulation, and one for each scenario that no simulation names."""
        tags = self._tags()
        pairs = [self._pair(fields) for fields in self._entries]
        used = {id(pair.scenario) for pair in pairs}
        pairs.extend(
            _Pair(scenario.path, scenario=scenario) for scenario in self._scenarios.values() if id(scenario) not in used
        )
        for pair in pairs:
            self._make(pair, tags.get(pair.id or "", []))
        played = {id(pair.personality) for pair in pairs}
        for personality in self._personalities.values():
            if id(personality) not in played:
                self._read_personality(personality)
                personality.note("this personality", "no simulation of the file plays it")
        for output in self._outputs.values():
            self._subject(output)

    def _id(self, fields: Fields) -> str:
        for name in ("orgId", "createdAt", "updatedAt"):
            fields.drop(name, _KEPT)
        return fields.text("id") or f"#{len(self._scenarios) + len(self._personalities) + len(self._outputs)}"

    def _add_all(self, fields: Fields) -> None:
        for name in _LISTS:
            for part in fields.children(name):
                self.add(part)
        for name in (
            "id",
            "orgId",
            "createdAt",
            "updatedAt",
            "status",
            "queuedAt",
            "startedAt",
            "endedAt",
            "itemCounts",
        ):
            fields.drop(name, "it belongs to a run of the simulations")
        fields.drop("transport", "a talk is played in text")
        self._repeat = self._builder.repeat(fields.whole("iterations"), fields.at("iterations")) or self._repeat
        target = fields.child("target")
        if target is None:
            return
        target.take("type")
        assistant = target.child("assistant")
        for name in ("assistant_id", "squad", "squad_id", "assistant_overrides"):
            target.drop(name, "the agent that is called is not in the file: give the file of yours")
        if assistant is not None:
            self._read_assistant(assistant)

    def _tags(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for suite in self._suites:
            self._id(suite)
            name = suite.text("name")
            suite.drop("slack_webhook_url", "results are told where the tests are run")
            for key in suite.texts("simulation_ids"):
                found.setdefault(key, []).extend([name] if name else [])
        return found

    # The parts

    def _pair(self, fields: Fields) -> _Pair:
        identity = self._id(fields)
        fields.take("type")
        scenario, personality = fields.child("scenario"), fields.child("personality")
        for inline in (scenario, personality):
            if inline is not None:
                self._id(inline)
        if scenario is None:
            scenario = self._found(fields, "scenario_id", self._scenarios)
        if personality is None:
            personality = self._found(fields, "personality_id", self._personalities)
        fields.drop("simulation_id", "the simulation is not in the file: export it too")
        return _Pair(fields.path, fields.text("name"), identity, scenario, personality)

    def _found(self, fields: Fields, name: str, known: Mapping[str, Fields]) -> Fields | None:
        key = fields.text(name)
        if key is not None and key not in known:
            fields.notes.add(fields.at(name), fields.named(name), "what it names is not in the file: export it too")
        return known.get(key or "")

    def _make(self, pair: _Pair, tags: list[str]) -> None:
        scenario = pair.scenario
        if scenario is None:
            self._builder.notes.add(pair.path, "this simulation", "its scenario is not in the file")
            return
        agent = self._builder.agent()
        wants = scenario.text("instructions") or ""
        manner, manner_name = self._read_personality(pair.personality) if pair.personality else ("", None)
        if pair.name and manner_name and pair.personality:
            pair.personality.notes.add(
                pair.personality.at("name"), "`name`", "the name of the simulation stands for it"
            )
        name = pair.name or " – ".join(part for part in (scenario.text("name"), manner_name) if part)
        scenario.drop("name", "the name of the simulation stands for it")
        folder = scenario.text("path")
        scenario.drop("hooks", "Greenroom calls no webhooks around a run")
        variables = self._read_overrides(scenario)
        checks = Checks(self._builder.notes)
        for evaluation in scenario.children("evaluations"):
            self._read_evaluation(evaluation, checks)
        self._builder.test(
            agent,
            pair.path,
            {
                "name": name,
                "caller": {"persona": "\n\n".join(part for part in (manner.strip(), wants.strip()) if part)},
                "variables": variables or None,
                "tool_mocks": self._read_mocks(scenario, agent) or None,
                "checks": checks.made,
                "repeat": self._repeat,
                "tags": list(dict.fromkeys([*tags, *([folder] if folder else [])])) or None,
            },
        )

    def _read_personality(self, personality: Fields) -> tuple[str, str | None]:
        """How the caller is, and what that is called."""
        personality.drop("path", "it says in which folder Vapi keeps it")
        assistant = personality.child("assistant")
        model = assistant.child("model") if assistant else None
        prompt = ""
        for index, message in enumerate(model.children("messages") if model else ()):
            message.take("role")
            if index == 0:
                prompt = message.text("content") or ""
            else:
                message.drop("content", "Vapi's caller is told the first message alone")
        for fields in (assistant, model):
            for name in list(fields.untaken()) if fields else ():
                if fields:
                    fields.drop(name, _CALLER_MODEL)
        return prompt, personality.text("name")

    def _read_assistant(self, assistant: Fields) -> None:
        """The agent under test, where the file holds it."""
        name = assistant.text("name")
        agent = self._builder.agent(name=name, path=assistant.path)
        if agent.is_given:
            assistant.note("the assistant", GIVEN)
            for key in list(assistant.untaken()):
                assistant.take(key)
            return
        model = assistant.child("model")
        messages = model.children("messages") if model else []
        prompts = [message.text("content") or "" for message in messages if message.text("role") in ("system", None)]
        for tool in model.children("tools") if model else ():
            tool.take("type")
            if (described := tool.child("function")) is not None:
                agent.describe_tool(described)
        agent.prompt = "\n\n".join(prompt for prompt in prompts if prompt.strip()) or agent.prompt
        if model is not None:
            agent.llm = self._llm(model)
        agent.greeting = assistant.text("first_message") or None
        if assistant.text("first_message_mode") == "assistant-waits-for-user":
            agent.speaks_first = False
        agent.can_end_call = bool(assistant.flag("end_call_function_enabled")) or agent.can_end_call

    def _llm(self, model: Fields) -> Llm | None:
        provider = model.peek("provider")
        if not isinstance(provider, str) or provider not in _PROVIDERS:
            return None
        settings = {
            "model": f"{model.text('provider')}:{model.text('model')}",
            "temperature": model.number("temperature"),
            "max_tokens": model.whole("max_tokens") or None,
        }
        return read_llm({key: value for key, value in settings.items() if value is not None}, model.path, model.notes)

    def _read_overrides(self, scenario: Fields) -> dict[str, str]:
        overrides = scenario.child("target_overrides")
        if overrides is None:
            return {}
        variables = overrides.scalars("variable_values")
        for name in list(overrides.untaken()):
            overrides.drop(name, "a test changes no fields of the agent: write a variant of it")
        return variables

    def _read_mocks(self, scenario: Fields, agent: AgentDraft) -> list[ToolMock]:
        mocks: list[ToolMock] = []
        for mock in scenario.children("tool_mocks"):
            name, result, enabled = mock.text("tool_name"), mock.take("result"), mock.flag("enabled")
            if enabled is False:
                mock.note("this prepared answer", "it is switched off")
            elif not name or name in END_CALL:
                mock.note("this prepared answer", "it is of no tool that can be answered")
            else:
                value = parsed(result) if isinstance(result, str) else result
                mocks.append(ToolMock(tool=agent.tool(name, mock.path), result=value))
        return mocks

    # What must come of it

    def _read_evaluation(self, evaluation: Fields, checks: Checks) -> None:
        output = evaluation.child("structured_output")
        if output is None:
            output = self._found(evaluation, "structured_output_id", self._outputs)
        comparator, value = evaluation.text("comparator") or "=", evaluation.take("value")
        required = evaluation.flag("required") is not False
        subject = self._subject(output) if output is not None else None
        if subject is None:
            evaluation.note("this evaluation", "what it asks is not in the file: export its structured output too")
        elif comparator not in _COMPARED or isinstance(value, dict | list) or value is None:
            evaluation.note("this evaluation", "it compares with no single value")
        else:
            shown = value if isinstance(value, str) else json.dumps(value)
            text = f"{subject}: this {_COMPARED[comparator]} {shown}"
            checks.add(evaluation.path, "this evaluation", lambda: Criterion(text=text, required=required))

    def _subject(self, output: Fields) -> str | None:
        """What a structured output asks, in words."""
        self._id(output)
        name, description = output.text("name"), output.text("description")
        schema = output.child("schema")
        said = schema.text("description") if schema else None
        if schema is not None:
            schema.take("type")
            schema.take("enum")
        for key in list(output.untaken()):
            output.drop(key, "how Vapi asks its judge: name a model in the agent's `judge_llm`")
        words = " – ".join(part.strip().rstrip(".:") for part in (name, said or description) if part and part.strip())
        return shorten(words, 2000) or None
