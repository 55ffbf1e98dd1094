"""The state of one talk that both sides share: who is at the telephone, and what was said aloud."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from greenroom.model.agent import Agent, find_agent
from greenroom.model.errors import RunError
from greenroom.model.templates import render
from greenroom.play.desk import Desk, require_webhook
from greenroom.play.meter import Meter
from greenroom.play.offers import OfferedTool, ToolKind, own_tools
from greenroom.play.plan import Plan, Ports
from greenroom.play.recorder import Recorder
from greenroom.play.seat import Seat, system_prompt
from greenroom.play.voices import HostedVoice, RemoteVoice, Voice


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words said aloud; `by` is the agent's name, or `None` for the caller."""

    text: str
    by: str | None


@dataclass(slots=True)
class Stage:
    """One talk being played."""

    plan: Plan
    ports: Ports
    meter: Meter
    recorder: Recorder
    desk: Desk
    seats: dict[str, Seat] = field(default_factory=dict[str, Seat])
    spoken: list[Spoken] = field(default_factory=list[Spoken])
    turn: int = 0

    def variables_of(self, agent: Agent) -> Mapping[str, str]:
        return {**agent.variables, **self.plan.test.variables}

    async def fill(self, template: str, agent: Agent, place: Literal["greeting", "opening line", "message"]) -> str:
        """Render a template, warning of variables without a value."""
        rendered = render(template, self.variables_of(agent))
        await self.warn_of_unknown(rendered.unknown, f"The {place}")
        return rendered.text

    async def warn_of_unknown(self, names: tuple[str, ...], place: str) -> None:
        for name in names:
            await self.recorder.warn(
                f"{place} uses {{{{{name}}}}}, but neither the test nor the agent gives it a value: "
                "it stayed as written."
            )

    async def seat(self, agent: Agent) -> Seat:
        """The seat of an agent, made at its first words.

        Raises:
            RunError: the agent cannot take part: no model, an MCP server that does not answer, or actions that are to
                be called for real and no webhook for them.
        """
        if agent.name in self.seats:
            return self.seats[agent.name]
        if self.plan.test.tool_mode == "real":
            require_webhook(agent)
        if not agent.enabled:
            await self.recorder.warn(f"The agent {agent.name} is switched off: real callers do not reach it.")
        if agent.is_cut_off:
            where = ", ".join(agent.channels) or "calls"
            await self.recorder.warn(
                f"The agent {agent.name} answers on {where}, and none of that is connected: nobody reaches it there."
            )
        variables = self.variables_of(agent)
        knowledge = agent.knowledge if self.plan.test.use_knowledge else None
        prompt = system_prompt(agent, variables, knowledge)
        await self.warn_of_unknown(prompt.unknown, f"The prompt of {agent.name}")
        tools = await self._tools_of(agent)
        seat = Seat(agent, self._voice_of(agent), prompt.text, tools, variables, knowledge)
        self.seats[agent.name] = seat
        return seat

    def _voice_of(self, agent: Agent) -> Voice:
        if agent.remote is not None:
            return RemoteVoice(agent, self.plan, self.meter)
        if agent.llm is None:
            raise RunError(f"The agent {agent.name} has no model: set `llm.model`, for example `openai:gpt-4.1-mini`.")
        return HostedVoice(agent.llm, self.plan, self.meter, self.recorder)

    async def _tools_of(self, agent: Agent) -> dict[str, OfferedTool]:
        targets = [(name, find_agent(name, self.plan.others)) for name in agent.can_hand_off]
        names = tuple(target.name if target else name for name, target in targets)
        tools = own_tools(agent, names, use_knowledge=self.plan.test.use_knowledge)
        if agent.mcp_servers:
            offers = await self.meter.in_time(self.ports.tools.offers(self.plan.run_id, agent))
            for offer in offers:
                tools.setdefault(offer.name, OfferedTool(offer, ToolKind.MCP))
        return tools

    def catch_up(self, seat: Seat) -> None:
        """Let a seat hear what was said aloud since it last listened, its own words excepted."""
        for spoken in self.spoken[seat.heard_upto :]:
            if spoken.by is None:
                seat.hear(spoken.text)
            elif spoken.by != seat.agent.name:
                seat.said(spoken.text)
        seat.heard_upto = len(self.spoken)

    def say(self, text: str, by: str | None) -> None:
        self.spoken.append(Spoken(text, by))

    @property
    def last_reply(self) -> str:
        """What the agent's side said since the caller last spoke."""
        texts: list[str] = []
        for spoken in reversed(self.spoken):
            if spoken.by is None:
                break
            texts.append(spoken.text)
        return "\n".join(reversed(texts))

    @property
    def last_caller_words(self) -> str:
        """What the caller said last, as the agent got it."""
        return next((spoken.text for spoken in reversed(self.spoken) if spoken.by is None), "")
