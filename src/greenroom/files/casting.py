"""Who plays in the tests of a file: its agents as they are written, and as each variant makes them.

A variant names changes of the agents: `variants: {NAME: {FIELD: VALUE, …}}`. A field that it gives stands instead of
the agent's, whole; `null` takes a field out. The changes hold for every agent of the file; those under
`agents: {AGENT: {FIELD: VALUE}}` hold for that agent alone and come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from greenroom.files.environment import Unset, Use
from greenroom.files.layout import Layout
from greenroom.files.library import Library
from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import MapNode, ScalarNode, text_of
from greenroom.files.parts import LLM_FIELDS, AgentPart, read_agent
from greenroom.files.validation import note_problems, validate
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.limits import Limits
from greenroom.model.rules import check_agent, check_hand_offs, nearest

_SECRET_FIELDS: Mapping[Use, str] = {"webhook": "tool_webhook", "mcp": "mcp_servers", "remote": "remote"}


@dataclass(frozen=True, slots=True)
class Player:
    """An agent, and the secrets that it lacks because their environment variables are not set."""

    agent: Agent
    unset: tuple[Unset, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """The agents of a file, the first of them first. An agent with mistakes is not among them."""

    players: tuple[Player, ...]

    def find(self, name: str | None) -> Player | None:
        """The player that goes by a name or id; the first where none is named."""
        if name is None:
            return self.players[0] if self.players else None
        return next((player for player in self.players if name in (player.agent.name, player.agent.id)), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(player.agent.name for player in self.players)

    def others(self, agent: Agent) -> dict[str, Agent]:
        """All agents but one, by name."""
        return {player.agent.name: player.agent for player in self.players if player.agent is not agent}


def read_cast(layout: Layout, limits: Limits, ledger: Ledger) -> Cast:
    """The agents as they are written, with everything that is wrong in them noted."""
    _note_same_names(layout.agents, ledger)
    return _validated(layout, layout.agents, limits, ledger)


def read_variants(layout: Layout, library: Library, environ: Mapping[str, str], limits: Limits) -> dict[str, Cast]:
    """The agents as each variant makes them. An agent's own mistakes are noted again, at the same place: a ledger
    tells them once."""
    return {
        name: _validated(layout, _changed(layout, node, library, environ), limits, library.ledger)
        for name, node in layout.variants.items()
    }


def credentials_of(owner: Agent | Test) -> Iterable[tuple[str, str]]:
    """The credentials that an agent or a test names, by the field whose `credential` it is."""
    for name in (*LLM_FIELDS, "remote"):
        credential: str | None = getattr(getattr(owner, name, None), "credential", None)
        if credential is not None:
            yield name, credential


def _validated(layout: Layout, parts: Iterable[AgentPart], limits: Limits, ledger: Ledger) -> Cast:
    read: list[tuple[AgentPart, Agent]] = []
    for part in parts:
        agent = validate(Agent, part.node, ledger)
        if agent is not None and part.is_whole:
            read.append((part, agent))
            note_problems(check_agent(agent, limits), part.node, ledger)
            note_misspelled_credentials(part.node, agent, layout, ledger)
    if len(read) == len(layout.agents):
        by_name = {agent.name: agent for _, agent in read}
        for part, agent in read:
            note_problems(check_hand_offs(agent, by_name), part.node, ledger)
    return Cast(tuple(Player(agent, part.unset) for part, agent in read))


def _note_same_names(parts: Iterable[AgentPart], ledger: Ledger) -> None:
    seen: dict[str, int] = {}
    for part in parts:
        node = part.node.get("name")
        name = text_of(node)
        if node is None or name is None:
            continue
        if name in seen:
            ledger.add(node.place, f"two agents are named `{name}` (first in line {seen[name]}): rename one")
        seen.setdefault(name, node.place.line)


def note_misspelled_credentials(node: MapNode, owner: Agent | Test, layout: Layout, ledger: Ledger) -> None:
    """A credential may also come from the settings; only a name that is nearly one of the file's is a mistake."""
    known = {*layout.credentials, *layout.unset_credentials}
    for field_name, credential in credentials_of(owner):
        if credential in known:
            continue
        near = nearest(credential, known)
        holder = node.get(field_name)
        value = holder.get("credential") if isinstance(holder, MapNode) else None
        if near is not None and value is not None:
            ledger.add(value.place, f"there is no credential `{credential}`", near)


def _changed(layout: Layout, variant: MapNode, library: Library, environ: Mapping[str, str]) -> tuple[AgentPart, ...]:
    for_all = _change(variant.without("agents"), library, environ)
    for_one = _changes_by_agent(layout, variant, library, environ)
    parts: list[AgentPart] = []
    for part in layout.agents:
        changed = _apply(part, for_all)
        for key in (text_of(part.node.get("name")), text_of(part.node.get("id"))):
            if key in for_one:
                changed = _apply(changed, for_one[key])
        parts.append(changed)
    return tuple(parts)


def _change(node: MapNode, library: Library, environ: Mapping[str, str]) -> AgentPart:
    for name in ("name", "id"):
        if name in node.entries:
            library.ledger.add(
                node.entries[name].key_place, f"a variant keeps the agent's `{name}`: take it out of the variant"
            )
    return read_agent(node.without("name", "id"), library, environ)


def _changes_by_agent(
    layout: Layout, variant: MapNode, library: Library, environ: Mapping[str, str]
) -> dict[str, AgentPart]:
    node = variant.get("agents")
    if node is None:
        return {}
    if not isinstance(node, MapNode):
        library.ledger.add(node.place, "`agents` of a variant is a mapping from agents to their changes")
        return {}
    names = [text_of(part.node.get(key)) for part in layout.agents for key in ("name", "id")]
    known = [name for name in names if name is not None]
    changes: dict[str, AgentPart] = {}
    for name, entry in node.entries.items():
        if name not in known:
            library.ledger.add(entry.key_place, f"there is no agent `{name}`", nearest(name, known))
        elif not isinstance(entry.value, MapNode):
            library.ledger.add(entry.value.place, f"`{name}` is a mapping: write the changes of this agent below it")
        else:
            changes[name] = _change(entry.value, library, environ)
    return changes


def _apply(part: AgentPart, change: AgentPart) -> AgentPart:
    entries = {**part.node.entries, **change.node.entries}
    removed = [
        name
        for name, entry in change.node.entries.items()
        if isinstance(entry.value, ScalarNode) and entry.value.value is None
    ]
    return AgentPart(
        MapNode(part.node.place, entries).without(*removed),
        part.is_whole and change.is_whole,
        (*(unset for unset in part.unset if _SECRET_FIELDS[unset.use] not in change.node.entries), *change.unset),
    )
