"""How a file is laid out: which agents, tests, credentials and variants it holds.

| field | holds |
| --- | --- |
| `agent` | an agent, or the path of another file: a test file (its agents are taken) or a file that is one agent |
| `agents` | several: a list, or a mapping from names to agents; each may be a path too. The first is tested where a test names none |
| `tests` | a list of tests |
| `credentials` | a mapping from names to `{api_key, base_url}`; both may hold `${NAME}` of the environment |
| `variants` | a mapping from names to changes of the agents, see `greenroom.files.casting` |
| `x-…` | anything: a place for YAML anchors |
"""  # noqa: E501 - a table

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from greenroom.files.environment import Unset, fill_in_all
from greenroom.files.library import Library, beside
from greenroom.files.mistakes import Place
from greenroom.files.nodes import ListNode, MapNode, Node, ScalarNode, text_of
from greenroom.files.parts import AgentPart, read_agent, read_test
from greenroom.files.validation import validate
from greenroom.model.llm import Credential
from greenroom.model.rules import nearest

FILE_FIELDS = ("agent", "agents", "tests", "credentials", "variants")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file holds, before agents and tests are validated."""

    file: Path
    agents: tuple[AgentPart, ...] = ()
    tests: tuple[MapNode, ...] = ()
    credentials: Mapping[str, Credential] = field(default_factory=dict[str, Credential])
    unset_credentials: Mapping[str, tuple[Unset, ...]] = field(default_factory=dict[str, tuple[Unset, ...]])
    variants: Mapping[str, MapNode] = field(default_factory=dict[str, MapNode])


def read_layout(
    file: Path, library: Library, environ: Mapping[str, str], *, asked_at: Place | None = None
) -> Layout | None:
    """Read a test file; `None`, with the mistakes noted, where it cannot be read at all.

    `asked_at` says where something else asks for the agents of the file: its tests are then left out, and it may also
    be a file that is one agent.
    """
    return _LayoutReader(library, environ).read(file, asked_at, ())


class _LayoutReader:
    def __init__(self, library: Library, environ: Mapping[str, str]) -> None:
        self._library = library
        self._ledger = library.ledger
        self._environ = environ

    def read(self, file: Path, asked_at: Place | None, through: tuple[Path, ...]) -> Layout | None:
        """Read a file. `asked_at` is where another file names it, `through` the files that led here."""
        if file in through:
            self._ledger.add(asked_at or Place(file, 1, 1), f"`{file}` leads back to itself: write the agent out")
            return None
        root = self._library.tree(file, asked_at)
        if root is None:
            return None
        if not isinstance(root, MapNode):
            self._ledger.add(root.place, "a test file is a mapping: start with `agent:` and `tests:`")
            return None
        if asked_at is not None and not any(name in root.entries for name in FILE_FIELDS):
            return Layout(file, (read_agent(root, self._library, self._environ),))
        return self._file(file, root, (*through, file), is_test_file=asked_at is None)

    def _file(self, file: Path, root: MapNode, through: tuple[Path, ...], *, is_test_file: bool) -> Layout:
        self._unknown_fields(root)
        agents, led_to = self._agents(root, through)
        tests = self._tests(root) if is_test_file else ()
        if not agents and "agent" not in root.entries and "agents" not in root.entries:
            self._ledger.add(root.place, "there is no agent: add `agent:` with the agent, or with the path of its file")
        credentials, unset = self._credentials(root)
        variants = self._variants(root)
        for other in led_to:
            credentials = {**other.credentials, **credentials}
            unset = {**{name: at for name, at in other.unset_credentials.items() if name not in credentials}, **unset}
            variants = {**other.variants, **variants}
        return Layout(file, agents, tests, credentials, unset, variants)

    def _unknown_fields(self, root: MapNode) -> None:
        from greenroom.files.shapes import field_names
        from greenroom.model.agent import Agent

        for name, entry in root.entries.items():
            if name in FILE_FIELDS or name.startswith("x-"):
                continue
            near = nearest(name, FILE_FIELDS)
            if near is None and name in field_names(Agent):
                self._ledger.add(entry.key_place, f"`{name}` does not stand here: it goes under `agent`")
            elif near is None:
                listed = ", ".join(f"`{known}`" for known in FILE_FIELDS)
                self._ledger.add(entry.key_place, f"unknown field `{name}`: a file has {listed}")
            else:
                self._ledger.add(entry.key_place, f"unknown field `{name}`", near)

    # Agents

    def _agents(self, root: MapNode, through: tuple[Path, ...]) -> tuple[tuple[AgentPart, ...], list[Layout]]:
        parts: list[AgentPart] = []
        led_to: list[Layout] = []
        if "agent" in root.entries and "agents" in root.entries:
            self._ledger.add(root.entries["agents"].key_place, "a file has either `agent` or `agents`: take one out")
        for key, node in self._agent_nodes(root):
            if text_of(node) is None:
                if isinstance(node, MapNode):
                    parts.append(_named(read_agent(node, self._library, self._environ), key, node.place))
                else:
                    self._ledger.add(node.place, "an agent is a mapping with `name` and `prompt`, or a path to one")
                continue
            other = self._by_path(node, through)
            if other is not None:
                led_to.append(other)
                parts.extend(
                    _named(part, key, node.place) if index == 0 else part for index, part in enumerate(other.agents)
                )
        return tuple(parts), led_to

    def _agent_nodes(self, root: MapNode) -> list[tuple[str | None, Node]]:
        nodes: list[tuple[str | None, Node]] = []
        if (agent := root.get("agent")) is not None:
            nodes.append((None, agent))
        match root.get("agents"):
            case None:
                pass
            case ListNode(items=items) if items:
                nodes.extend((None, item) for item in items)
            case MapNode(entries=entries) if entries:
                nodes.extend((key, entry.value) for key, entry in entries.items())
            case node:
                self._ledger.add(node.place, "`agents` is a list of agents, or a mapping from names to agents")
        return nodes

    def _by_path(self, node: Node, through: tuple[Path, ...]) -> Layout | None:
        path = text_of(node) or ""
        if not path.strip():
            self._ledger.add(node.place, "this path is empty: name the file that holds the agent")
            return None
        return self.read(beside(node.place.file, path), node.place, through)

    # The rest

    def _tests(self, root: MapNode) -> tuple[MapNode, ...]:
        node = root.get("tests")
        if node is None:
            return ()
        if not isinstance(node, ListNode):
            self._ledger.add(node.place, "`tests` is a list: start each test with `- name: …`")
            return ()
        tests: list[MapNode] = []
        for item in node.items:
            if isinstance(item, MapNode):
                tests.append(read_test(item, self._library))
            else:
                self._ledger.add(item.place, "a test is a mapping: write its `name`, `caller` and `checks`")
        return tuple(tests)

    def _credentials(self, root: MapNode) -> tuple[dict[str, Credential], dict[str, tuple[Unset, ...]]]:
        credentials: dict[str, Credential] = {}
        missing: dict[str, tuple[Unset, ...]] = {}
        for name, node in self._named_mappings(root, "credentials", "{api_key: ${NAME}}").items():
            filled, unset = fill_in_all(node, "credential", self._environ, self._ledger)
            if unset:
                # With the field left out the credential would look incomplete: what is written stands in for it.
                validate(Credential, node, self._ledger)
                missing[name] = unset
            elif (credential := validate(Credential, filled, self._ledger)) is not None:
                credentials[name] = credential
        return credentials, missing

    def _variants(self, root: MapNode) -> dict[str, MapNode]:
        return self._named_mappings(root, "variants", "{llm: {model: openai:gpt-4.1-mini}}")

    def _named_mappings(self, root: MapNode, field_name: str, example: str) -> dict[str, MapNode]:
        node = root.get(field_name)
        if node is None:
            return {}
        found: dict[str, MapNode] = {}
        if not isinstance(node, MapNode):
            self._ledger.add(node.place, f"`{field_name}` is a mapping: write `NAME: {example}` below it")
            return found
        for name, entry in node.entries.items():
            if isinstance(entry.value, MapNode):
                found[name] = entry.value
            else:
                self._ledger.add(entry.value.place, f"`{name}` is a mapping: write for example `{example}`")
        return found


def _named(part: AgentPart, key: str | None, place: Place) -> AgentPart:
    """The agent under the name by which the file lists it: its name where it has none, else its id where it has none,
    so that others may hand to it by either."""
    if key is None:
        return part
    field_name = "name" if "name" not in part.node.entries else "id"
    if field_name in part.node.entries or text_of(part.node.get("name")) == key:
        return part
    named = part.node.with_values({field_name: ScalarNode(place, key, key, verbatim=True)})
    return replace(part, node=named)
