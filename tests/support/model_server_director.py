"""Plays whole talks over HTTP: the rules of a scripted brain, answered by the loopback model server."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tests.support.model_server_types import Answer, Call, Heard, HeardMessage, Reply, Status, Tokens

from greenroom.brains.scripted import ScriptedBrain
from greenroom.model.errors import BrainFailed
from greenroom.model.llm import Llm, Role, ScriptRule
from greenroom.model.marker import HANG_UP
from greenroom.model.talk import BrainReply, BrainRequest, JudgeTask, UserSaid

_NUMBERED = re.compile(r"^\s*(\d+)[.):]\s+(.+)$", re.MULTILINE)
_MEETS = re.compile(r"meet this\?\n(.+?)(?:\n\n|\Z)", re.DOTALL)
_LABELLED = re.compile(r"^\s*(?:the )?question:?\s*(.+)$", re.MULTILINE | re.IGNORECASE)


class Director:
    """Answers each request as the role it reads from it: a judge is asked for an answer in a judge's shape, a caller
    is told of the hang-up marker, and anybody else is the agent.

    It keeps nothing between requests: how often a rule has fired in a talk is worked out from the talk that the
    request carries.
    """

    def __init__(self, rules: Sequence[ScriptRule]) -> None:
        self._llm = Llm(model="scripted:director", script=list(rules))
        self._counts = any(rule.times is not None for rule in rules)
        self._brain = ScriptedBrain()

    async def __call__(self, heard: Heard) -> Reply:
        role = role_of(heard)
        try:
            if role == "judge":
                return _as_answer(heard, await self._brain.reply(self._judging(heard)))
            reply = await self._brain.reply(await self._speaking(role, heard))
        except BrainFailed as failure:
            return Status(400, str(failure))
        return _as_answer(heard, reply)

    def _judging(self, heard: Heard) -> BrainRequest:
        return BrainRequest(role="judge", llm=self._llm, system=heard.system, messages=(), task=task_of(heard))

    async def _speaking(self, role: Role, heard: Heard) -> BrainRequest:
        fired: list[int] = []
        if self._counts:
            for position, message in enumerate(heard.messages):
                if message.role == "model":
                    earlier = self._request(role, heard, position, tuple(fired))
                    try:
                        fired.extend((await self._brain.reply(earlier)).fired)
                    except BrainFailed:
                        continue  # a line that no rule said, such as a greeting
        return self._request(role, heard, len(heard.messages), tuple(fired))

    def _request(self, role: Role, heard: Heard, position: int, fired: tuple[int, ...]) -> BrainRequest:
        last = heard.messages[position - 1] if position else HeardMessage("user", "")
        tool = _tool_name(heard.messages[:position], last) if last.role == "tool" else None
        return BrainRequest(
            role=role,
            llm=self._llm,
            system=heard.system,
            messages=tuple(UserSaid(message.text) for message in heard.messages[:position]),
            tool_choice="auto" if heard.tools else "none",
            heard=last.text,
            heard_tool=tool,
            fired=fired,
        )


def role_of(heard: Heard) -> Role:
    """Who is asked."""
    if heard.answer_schema is not None:
        return "judge"
    return "caller" if HANG_UP in heard.system else "agent"


def task_of(heard: Heard) -> JudgeTask:
    """What a judge is asked, read from the words of the request: numbered lines are criteria."""
    words = heard.last.text
    properties = (heard.answer_schema or {}).get("properties", {})
    if "criteria" not in properties:
        labelled = _MEETS.findall(words) or _LABELLED.findall(words)
        return JudgeTask("question", (labelled[-1] if labelled else words,))
    items: list[str] = []
    for number, text in _NUMBERED.findall(words):
        if int(number) == 1:
            items = []
        if int(number) == len(items) + 1:
            items.append(text)
    return JudgeTask("scorecard", tuple(items))


def _tool_name(messages: Sequence[HeardMessage], last: HeardMessage) -> str | None:
    names = {call.id: call.name for message in messages for call in message.calls}
    return last.name or names.get(last.call_id)


def _as_answer(heard: Heard, reply: BrainReply) -> Answer:
    usage = Tokens(input=reply.usage.input_tokens, output=max(1, reply.usage.output_tokens))
    if heard.answer_tool is not None:
        return Answer(calls=[Call(heard.answer_tool, json.loads(reply.text))], usage=usage)
    calls = [Call(call.name, _object(heard, call.arguments)) for call in reply.calls]
    return Answer(text=reply.text or None, calls=calls, usage=usage)


def _object(heard: Heard, arguments: str) -> dict[str, Any] | str:
    # Only OpenAI's wire carries arguments as text, which may be anything.
    if heard.wire == "openai":
        return arguments
    try:
        value = json.loads(arguments)
    except ValueError:
        return {"raw": arguments}
    return value if isinstance(value, dict) else {"raw": arguments}
