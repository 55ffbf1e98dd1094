"""The tools that an agent is offered, and what kind each is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from greenroom.model.agent import COMPONENT_TOOLS, KNOWLEDGE_TOOL, Agent, Component, Tool
from greenroom.model.base import Json
from greenroom.model.talk import ToolOffer


class ToolKind(StrEnum):
    ACTION = "action"
    HTTP = "http"
    MCP = "mcp"
    KNOWLEDGE = "knowledge"
    END_CALL = "end_call"
    TRANSFER = "transfer_call"
    HAND_OFF = "hand_off_to_agent"
    RESCHEDULE = "reschedule_call"
    COMPONENT = "component"
    MEMORY = "memory"


ACTING_KINDS = frozenset(ToolKind) - {ToolKind.KNOWLEDGE, ToolKind.COMPONENT}
"""Tools that act on the outside, the talk or a memory; the others only read, or show something beside the reply."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as it is offered, what kind it is, and for a component tool the card that it adds."""

    offer: ToolOffer
    kind: ToolKind
    card: Component | None = None
    declared: Tool | None = None


def _text(description: str) -> dict[str, Json]:
    return {"type": "string", "description": description}


def _object(properties: dict[str, Json], required: list[Json] | None = None) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": required or []}


_COMPONENTS: dict[Component, tuple[str, dict[str, Json]]] = {
    "link": (
        "Show the customer a link beside your reply.",
        _object({"title": _text("What the link shows as"), "url": _text("The address")}, ["title", "url"]),
    ),
    "booking": (
        "Show the customer a card to book an appointment with.",
        _object({"title": _text("What is booked"), "url": _text("Where it is booked, if known")}),
    ),
    "contact": (
        "Show the customer a card to get in touch with.",
        _object({"name": _text("Whom to contact"), "phone": _text("Phone number"), "email": _text("E-mail address")}),
    ),
    "suggested_questions": (
        "Suggest questions that the customer may want to ask next.",
        _object(
            {"questions": {"type": "array", "items": {"type": "string"}, "description": "Up to four short questions"}},
            ["questions"],
        ),
    ),
}

_MEMORY: dict[str, tuple[str, dict[str, Json]]] = {
    "remember": (
        "Keep a fact about the person you are talking with for later.",
        _object({"key": _text("What the fact is about"), "value": _text("The fact")}, ["key", "value"]),
    ),
    "recall": (
        "Look up facts that were kept about the person you are talking with.",
        _object({"key": _text("What the fact is about; leave out for all facts")}),
    ),
    "save_record": (
        "Save a record, such as a lead or a request, with its fields.",
        _object(
            {"kind": _text("What kind of record it is"), "fields": {"type": "object", "description": "Its fields"}},
            ["kind", "fields"],
        ),
    ),
}


def own_tools(agent: Agent, hand_off_names: tuple[str, ...], *, use_knowledge: bool = True) -> dict[str, OfferedTool]:
    """The tools of an agent that need no server to be asked, by name, in the order in which they are offered."""
    tools: dict[str, OfferedTool] = {}

    def offer(
        name: str, kind: ToolKind, description: str, parameters: dict[str, Json], card: Component | None = None
    ) -> None:
        tools[name] = OfferedTool(ToolOffer(name, description, parameters), kind, card)

    for tool in agent.tools:
        if tool.enabled:
            kind = ToolKind.HTTP if tool.http else ToolKind.ACTION
            tools[tool.name] = OfferedTool(ToolOffer(tool.name, tool.description, tool.parameters), kind, None, tool)
    if use_knowledge and agent.knowledge and agent.knowledge.documents and not agent.knowledge.is_inline:
        offer(
            KNOWLEDGE_TOOL,
            ToolKind.KNOWLEDGE,
            "Search your knowledge base. Use it before you state facts about the business.",
            _object({"query": _text("What to look for, in a few words")}, ["query"]),
        )
    if agent.can_end_call:
        offer("end_call", ToolKind.END_CALL, "End the call. Say goodbye in the same reply.", _object({}))
    if agent.can_transfer:
        to = agent.can_transfer.label or agent.can_transfer.to
        offer(
            "transfer_call",
            ToolKind.TRANSFER,
            f"Transfer the call to {to}.",
            _object({"reason": _text("Why the call is transferred")}),
        )
    if agent.can_hand_off:
        offer(
            "hand_off_to_agent",
            ToolKind.HAND_OFF,
            f"Hand the conversation over to another agent: {', '.join(hand_off_names)}.",
            _object(
                {
                    "agent": _text(f"Who takes over: {', '.join(hand_off_names)}"),
                    "reason": _text("Why, in a few words for the agent who takes over"),
                },
                ["agent"],
            ),
        )
    if agent.can_reschedule:
        offer(
            "reschedule_call",
            ToolKind.RESCHEDULE,
            "Arrange to call the person back at another time.",
            _object({"when": _text("When to call back"), "reason": _text("Why")}, ["when"]),
        )
    for component in agent.components:
        description, parameters = _COMPONENTS[component]
        offer(COMPONENT_TOOLS[component], ToolKind.COMPONENT, description, parameters, component)
    if agent.memory_tools:
        for name, (description, parameters) in _MEMORY.items():
            offer(name, ToolKind.MEMORY, description, parameters)
    return tools
