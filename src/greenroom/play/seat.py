"""An agent at the telephone: its prompt, its tools, and the talk as its brain has heard it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from greenroom.model.agent import Agent, Knowledge
from greenroom.model.llm import Llm
from greenroom.model.talk import BrainRequest, Message, ModelSaid, ToolOffer, UserSaid
from greenroom.model.templates import render
from greenroom.play.offers import OfferedTool

if TYPE_CHECKING:
    from greenroom.play.voices import Voice

VOICE_RULES = """# How you speak
You are on a phone call and your words are read aloud. Speak, do not write: short sentences, one thought at a time, \
one question at a time. No lists, headings, emoji, links or other markup. Say numbers, dates, times, prices and \
abbreviations the way a person says them. Do not repeat what was already settled."""

CALL_CONNECTED = "(the call is connected)"
CHAT_OPENED = "(the chat is opened)"
EARLIER_LEFT_OUT = "(earlier lines of the conversation are left out)"


@dataclass(slots=True)
class Seat:
    """One agent in a talk. `messages` is what its brain has heard so far, and `heard_upto` how much of the spoken
    talk that covers."""

    agent: Agent
    voice: Voice
    system: str
    tools: dict[str, OfferedTool]
    variables: Mapping[str, str]
    knowledge: Knowledge | None = None
    """What it may draw on: the agent's own, or nothing where the test has it go without."""
    messages: list[Message] = field(default_factory=list[Message])
    heard_upto: int = 0
    offers: tuple[ToolOffer, ...] = ()
    """What the brain is offered: the same object in every request of the talk, so that it is converted once."""
    searched: list[str] = field(default_factory=list[str])
    """Passages that its searches have found so far."""
    call_ids: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.offers = tuple(tool.offer for tool in self.tools.values())

    @property
    def opening_marker(self) -> str:
        return CHAT_OPENED if self.agent.channels else CALL_CONNECTED

    def hear(self, text: str) -> None:
        """Add words of the other side. Two in a row become one message: some providers refuse them apart."""
        if self.messages and isinstance(self.messages[-1], UserSaid):
            self.messages[-1] = UserSaid(f"{self.messages[-1].text}\n{text}")
        else:
            self.messages.append(UserSaid(text))

    def said(self, text: str) -> None:
        """Add the agent's own words. A talk that the agent opens gets a neutral marker before them, since some
        providers refuse a talk that opens with the assistant."""
        if not self.messages and self.agent.remote is None:
            self.messages.append(UserSaid(self.opening_marker))
        last = self.messages[-1] if self.messages else None
        if isinstance(last, ModelSaid) and not last.calls:
            self.messages[-1] = replace(last, text=f"{last.text}\n{text}", provider_state=None)
        else:
            self.messages.append(ModelSaid(text))

    @property
    def in_window(self) -> tuple[Message, ...]:
        """The talk as far as the agent's context window reaches: what it is to answer, what it has done about that so
        far, and the newest lines before."""
        window, messages = self.agent.context_window, self.messages
        if len(messages) <= window:
            return tuple(messages)
        answered = max((index for index, each in enumerate(messages) if isinstance(each, UserSaid)), default=0)
        # A call and its result are no lines of their own: they stay with the words around them.
        lines = [index for index in range(answered) if _is_line(messages[index])]
        if len(lines) <= window:
            return tuple(messages)
        kept = messages[lines[-window] if window else answered :]
        if isinstance(kept[0], ModelSaid) and self.agent.remote is None:
            return (UserSaid(EARLIER_LEFT_OUT), *kept)
        return tuple(kept)

    def request(self, llm: Llm, *, heard: str, heard_tool: str | None, may_call: bool) -> BrainRequest:
        """The request for the next reply, for the main brain or the backup brain."""
        return BrainRequest(
            role="agent",
            llm=llm,
            system=self.system,
            messages=tuple(_without_foreign_state(message, llm) for message in self.in_window),
            tools=self.offers,
            tool_choice="auto" if may_call else "none",
            heard=heard,
            heard_tool=heard_tool,
        )


def _is_line(message: Message) -> bool:
    return isinstance(message, UserSaid) or (isinstance(message, ModelSaid) and bool(message.text))


def _without_foreign_state(message: Message, llm: Llm) -> Message:
    # What one model signed means nothing to another, and some providers refuse it.
    if isinstance(message, ModelSaid) and message.provider_state is not None and message.model != llm.model:
        return replace(message, provider_state=None)
    return message


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """An agent's rendered system prompt, and the variables in it that had no value."""

    text: str
    unknown: tuple[str, ...]


def system_prompt(agent: Agent, variables: Mapping[str, str], knowledge: Knowledge | None) -> SystemPrompt:
    """The prompt with its variables, the voice rules and the inline knowledge: the same text for every turn, so that
    provider prompt caches hit."""
    rendered = render(agent.prompt, variables)
    parts = [rendered.text.strip()]
    if agent.remote is not None:
        # A remote agent has its own ways and knowledge; what is written here is passed on as it is.
        return SystemPrompt(parts[0], rendered.unknown)
    if agent.voice_rules and agent.speaks:
        parts.append(VOICE_RULES)
    if knowledge and knowledge.is_inline:
        documents = "\n\n".join(f"## {document.name}\n{document.text}" for document in knowledge.documents)
        parts.append(f"# What you know\n{documents}")
    return SystemPrompt("\n\n".join(parts), rendered.unknown)
