"""promptfoo configurations: tests of a simulated user become personas, tests of a prompt a next reply.

promptfoo plays each test with each prompt: each prompt becomes an agent, and each test stands once for each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from greenroom.importers.builder import Builder
from greenroom.importers.checks import Checks
from greenroom.importers.drafts import GIVEN, AgentDraft
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import read_document
from greenroom.importers.promptfoo_assertions import read_assertion
from greenroom.importers.promptfoo_prompts import Prompt, read_prompts, read_providers
from greenroom.importers.source import Fields, Path, kind_of
from greenroom.importers.templates import is_a_file, rendered, value_text
from greenroom.model.base import Json
from greenroom.model.errors import UserMistake
from greenroom.model.text import shorten, squeeze

TITLE = "promptfoo"
SIMULATED_USER = "promptfoo:simulated-user"
MAX_TURNS = 10
"""promptfoo's own, where a test says nothing."""

_MAX_COMBINATIONS = 100
_MAX_MADE = 5000
_IN_A_FILE = "it stands in a file of its own, which is not read"
_PLAIN_PROMPT = "Answer the message."


def recognises(root: Json) -> bool:
    """Whether data looks like a configuration of promptfoo."""
    if not isinstance(root, dict):
        return False
    has_model = any(name in root for name in ("providers", "targets", "prompts"))
    return has_model and any(name in root for name in ("tests", "scenarios", "defaultTest"))


def read(data: bytes, options: ImportOptions) -> Imported:
    """Read a configuration, YAML or JSON.

    Raises:
        UserMistake: it is neither, or holds no test.
    """
    document = read_document(data)
    builder = Builder(options, document.notes, TITLE)
    if isinstance(document.root, dict):
        _Config(Fields(document.root, (), builder.notes), builder).read()
    return builder.finish()


@dataclass(slots=True)
class _Layer:
    """What a test says, or what the tests share. A later layer goes before an earlier one."""

    path: Path
    name: str | None = None
    vars: dict[str, Json] = field(default_factory=dict[str, Json])
    assertions: list[Fields] = field(default_factory=list[Fields])
    user: Fields | None = None
    is_simulated: bool | None = None
    tags: list[str] = field(default_factory=list[str])

    def over(self, other: _Layer) -> _Layer:
        """This layer over another one."""
        return _Layer(
            self.path,
            self.name or other.name,
            other.vars | self.vars,
            [*other.assertions, *self.assertions],
            self.user or other.user,
            other.is_simulated if self.is_simulated is None else self.is_simulated,
            [*other.tags, *self.tags],
        )


class _Config:
    def __init__(self, fields: Fields, builder: Builder) -> None:
        self._fields = fields
        self._builder = builder
        self._prompts: list[Prompt] = []
        self._repeat: int | None = None
        self._made = 0

    def read(self) -> None:
        fields = self._fields
        self._prompts = read_prompts(fields)
        self._providers = read_providers(fields)
        fields.drop("description", "a file of tests has no description")
        fields.drop("env", "secrets are read from the environment, and not written down")
        self._repeat = self._read_options()
        default = self._read_default()
        for test in self._tests(fields):
            self._add(self._layer(test).over(default))
        for scenario in fields.children("scenarios"):
            scenario.drop("description", "a test has a name alone")
            shared = [self._layer(part).over(default) for part in scenario.children("config")]
            tests = [self._layer(part) for part in self._tests(scenario)]
            for one, test in itertools.product(shared or [default], tests or [_Layer(scenario.path)]):
                self._add(test.over(one))

    def _read_options(self) -> int | None:
        options = self._fields.child("evaluate_options")
        if options is None:
            return None
        repeat = self._builder.repeat(options.whole("repeat"), options.at("repeat"))
        for name in list(options.untaken()):
            options.drop(name, "how runs are carried out is said on the command line")
        return repeat

    def _read_default(self) -> _Layer:
        if isinstance(self._fields.peek("default_test"), str):
            self._fields.drop("default_test", _IN_A_FILE)
        default = self._fields.child("default_test")
        return self._layer(default) if default is not None else _Layer(())

    def _tests(self, fields: Fields) -> Iterator[Fields]:
        for path, item in fields.items("tests"):
            if isinstance(item, dict):
                yield Fields(item, path, fields.notes)
            else:
                why = _IN_A_FILE if isinstance(item, str) else f"it is {kind_of(item)}, where an object is expected"
                fields.notes.add(path, "these tests", why)

    # One test

    def _layer(self, fields: Fields) -> _Layer:
        layer = _Layer(fields.path, name=fields.text("description"))
        if isinstance(fields.peek("vars"), str):
            fields.drop("vars", _IN_A_FILE)
        values = fields.child("vars")
        for name in values.names() if values is not None else ():
            if values is not None:
                layer.vars[name] = values.take(name)
        layer.assertions = fields.children("assert")
        self._read_provider(fields, layer)
        options = fields.child("options")
        for name in list(options.untaken()) if options is not None else ():
            if options is not None:
                options.drop(name, "how promptfoo changes prompts and replies is not carried")
        metadata = fields.child("metadata")
        for name in metadata.names() if metadata is not None else ():
            if metadata is not None and (value := metadata.text(name)) is not None:
                layer.tags.append(f"{name}:{value}")
        fields.drop("threshold", "a test passes when every required check holds")
        return layer

    def _read_provider(self, fields: Fields, layer: _Layer) -> None:
        provider = fields.peek("provider")
        if provider == SIMULATED_USER:
            fields.take("provider")
            layer.is_simulated = True
        elif isinstance(provider, dict) and provider.get("id") == SIMULATED_USER:
            simulated = fields.child("provider")
            if simulated is not None:
                simulated.take("id")
                layer.user = simulated.child("config")
            layer.is_simulated = True
        elif provider is not None:
            fields.drop("provider", "a test is played with its agent's own model")
            layer.is_simulated = False

    def _add(self, layer: _Layer) -> None:
        for values, suffix in self._combinations(layer):
            for index, prompt in enumerate(self._prompts):
                self._make(layer, values, suffix, index, prompt)

    def _combinations(self, layer: _Layer) -> Iterator[tuple[dict[str, Json], str]]:
        """The values of a test's variables: a list stands for as many tests."""
        lists = {
            name: value
            for name, value in layer.vars.items()
            if isinstance(value, list) and name != "initialMessages" and value
        }
        combinations = list(itertools.islice(itertools.product(*lists.values()), _MAX_COMBINATIONS + 1))
        if len(combinations) > _MAX_COMBINATIONS:
            why = f"only the first {_MAX_COMBINATIONS} combinations of them are made into tests"
            self._builder.notes.add((*layer.path, "vars"), "lists of values", why)
        for chosen in combinations[:_MAX_COMBINATIONS]:
            picked = dict(zip(lists, chosen, strict=True))
            suffix = ", ".join(shorten(value_text(value), 30) for value in picked.values())
            yield layer.vars | picked, f" ({suffix})" if suffix else ""

    def _make(self, layer: _Layer, values: dict[str, Json], suffix: str, index: int, prompt: Prompt) -> None:
        notes = self._builder.notes
        self._made += 1
        if self._made > _MAX_MADE:
            raise UserMistake(f"the file makes more than {_MAX_MADE:,} tests: split it")
        raw = {name: value_text(value) for name, value in values.items() if value is not None}
        variables = {name: rendered(value, raw, notes, (*layer.path, "vars", name)) for name, value in raw.items()}
        for name, value in variables.items():
            if is_a_file(value):
                notes.add((*layer.path, "vars", name), f"`{name}`", _IN_A_FILE)
        agent = self._agent(index, prompt, is_simulated=bool(layer.is_simulated))
        made = (
            self._persona(layer, values, variables)
            if layer.is_simulated
            else self._reply(layer, prompt, variables, index)
        )
        if made is None:
            return
        checks = Checks(notes)
        for assertion in layer.assertions:
            read_assertion(assertion, checks, agent, variables, is_talk=bool(layer.is_simulated))
        title = f"{layer.name or made.pop('title')}{suffix}"
        made.pop("title", None)
        if len(self._prompts) > 1:
            title = f"{title} [{agent.name}]"
        kept = {name: value for name, value in variables.items() if name not in ("instructions", "initialMessages")}
        self._builder.test(
            agent,
            layer.path,
            {
                "name": title,
                **made,
                "variables": kept or None,
                "checks": checks.made,
                "repeat": self._repeat,
                "tags": list(dict.fromkeys(layer.tags)) or None,
            },
        )

    def _agent(self, index: int, prompt: Prompt, *, is_simulated: bool) -> AgentDraft:
        agent = self._builder.agent((index, is_simulated), name=prompt.label, path=prompt.path)
        if agent.is_given:
            self._builder.notes.add(prompt.path, "the prompt", GIVEN)
            if self._providers.llm is not None:
                self._builder.notes.add(self._providers.path, "the provider", GIVEN)
            for tool in self._providers.tools:
                agent.describe_tool(tool)
        elif agent.prompt is None:
            agent.speaks_first = False
            agent.llm = self._providers.llm
            for tool in self._providers.tools:
                agent.describe_tool(tool)
            agent.prompt = prompt.instructions if is_simulated else prompt.system
            if agent.prompt is None and not is_simulated and not prompt.is_file:
                agent.prompt = _PLAIN_PROMPT
        return agent

    def _persona(
        self, layer: _Layer, values: Mapping[str, Json], variables: Mapping[str, str]
    ) -> dict[str, object] | None:
        user = layer.user
        notes = self._builder.notes
        template = (user.text("instructions") if user else None) or "{{instructions}}"
        persona = rendered(template, variables, notes, user.path if user else layer.path)
        if "instructions" not in variables and persona.strip() == "{{instructions}}":
            notes.add(layer.path, "this test", "its simulated user has no `instructions`")
            return None
        turns = user.whole("max_turns") if user else None
        caller: dict[str, object] = {"persona": persona.strip()}
        opening = self._opening(layer, user, values, variables)
        if opening:
            caller["opening_line"] = opening
        if user is not None:
            user.drop("stateful", "how a remote agent keeps its talk is said in its `remote`")
            user.drop("user_provider", "name the caller's model in the agent's `caller_llm`")
        return {"caller": caller, "max_turns": turns or MAX_TURNS, "title": squeeze(persona)[:60]}

    def _opening(
        self, layer: _Layer, user: Fields | None, values: Mapping[str, Json], variables: Mapping[str, str]
    ) -> str | None:
        """The user's first words, where the messages that were said before are nothing else."""
        notes = self._builder.notes
        path: Path = (*layer.path, "vars", "initialMessages")
        own = values.get("initialMessages")
        if user is not None:
            shared = user.take("initial_messages")
            if own is None:
                own, path = shared, user.at("initial_messages")
        if not own:
            return None
        only = own[0] if isinstance(own, list) and len(own) == 1 else None
        message = Fields(only, (*path, 0), notes) if isinstance(only, dict) else None
        if message is not None and message.text("role") == "user" and (said := message.text("content")):
            return rendered(said, variables, notes, path)
        why = "a persona's talk starts at its beginning: tell in the persona what went before"
        notes.add(path, "`initialMessages`", why)
        return None

    def _reply(
        self, layer: _Layer, prompt: Prompt, variables: Mapping[str, str], index: int
    ) -> dict[str, object] | None:
        notes = self._builder.notes
        lines = [{"role": role, "text": rendered(text, variables, notes, prompt.path)} for role, text in prompt.lines]
        while lines and lines[-1]["role"] == "agent":
            lines.pop()
            notes.add(prompt.path, "the assistant's last message", "a history ends with the caller")
        if prompt.is_text:
            why = "it is sent as the user's message, here as there: move instructions into the agent's `prompt`"
            notes.add(prompt.path, "a prompt that is one text", why)
        if not lines:
            why = _IN_A_FILE if prompt.is_file else "it holds no message of the user's"
            notes.add(layer.path, "this test", f"its prompt {index + 1} is not known: {why}")
            return None
        return {"caller": {"history": lines}, "title": squeeze(lines[-1]["text"])[:60]}
