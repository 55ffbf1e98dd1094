"""Vapi evals and simulations, as its API answers with them and its files hold them.

An eval is a talk with fixed lines and checkpoints. Where nothing but the reply to one message is checked, it becomes
a next reply; else a script. A simulation is read in `greenroom.importers.vapi_simulations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from greenroom.importers.builder import Builder
from greenroom.importers.checks import (
    ANY_TURN,
    Checks,
    answer_of,
    arguments_of,
    as_written,
    call_of,
    in_order,
    parsed,
    whole,
)
from greenroom.importers.drafts import END_CALL, AgentDraft
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import read_document
from greenroom.importers.source import Fields, Notes, mappings, written
from greenroom.importers.vapi_simulations import Simulations, is_part_of_simulations
from greenroom.model.base import Json
from greenroom.model.case import ToolMock
from greenroom.model.checks import CallsTool, EndsCall, JudgeCheck, Matches, ReplyMeets, Where

TITLE = "Vapi"
EVAL = "chat.mockConversation"

_KEPT = "it says where and when Vapi keeps it"
_ROLES = ("user", "assistant", "system", "tool")


def recognises(root: Json) -> bool:
    """Whether data looks like evals or simulations of Vapi."""
    return any(_is_eval(item) or is_part_of_simulations(item) for item in _mappings(root))


def read(data: bytes, options: ImportOptions) -> Imported:
    """Read evals and the parts of simulations: one of them, a list, or an object that holds them by kind.

    Raises:
        UserMistake: it is neither JSON nor YAML, or holds nothing of the kind.
    """
    document = read_document(data)
    builder = Builder(options, document.notes, TITLE)
    simulations = Simulations(builder)
    for fields in _parts(document.root, builder.notes):
        if fields.has("eval"):
            _read_eval_run(fields, builder)
        elif fields.has("messages"):
            _read_eval(fields, builder)
        else:
            simulations.add(fields)
    simulations.finish()
    return builder.finish()


def _is_eval(data: Mapping[str, Json]) -> bool:
    messages = data.get("messages")
    judged = isinstance(messages, list) and any(isinstance(item, dict) and "judgePlan" in item for item in messages)
    return data.get("type") == EVAL or judged or isinstance(data.get("eval"), dict)


def _mappings(root: Json) -> Iterator[dict[str, Json]]:
    for item in root if isinstance(root, list) else [root]:
        if isinstance(item, dict):
            yield item
            for name in ("results", "evals", "data"):
                inside = item.get(name)
                yield from (part for part in (inside if isinstance(inside, list) else []) if isinstance(part, dict))


def _parts(root: Json, notes: Notes) -> Iterator[Fields]:
    """The objects of a file, one by one."""
    if isinstance(root, list):
        yield from mappings(root, notes)
    elif isinstance(root, dict):
        fields = Fields(root, (), notes)
        lists = [name for name in ("results", "evals", "data") if isinstance(root.get(name), list)]
        for name in lists:
            yield from fields.children(name)
        for name in ("metadata", "page", "total", "limit") if lists else ():
            fields.drop(name, "it says which page of a list this is")
        if not lists or any(fields.untaken()):
            yield fields


# Evals


@dataclass(slots=True)
class _Talk:
    """A mock conversation while it is read. `checkpoints` are the assistant's judged messages, each with how many
    messages of the user's came before it."""

    lines: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    said: list[str] = field(default_factory=list[str])
    checkpoints: list[tuple[Fields, int]] = field(default_factory=list[tuple[Fields, int]])
    mocks: list[ToolMock] = field(default_factory=list[ToolMock])
    waiting: list[str] = field(default_factory=list[str])
    """The tools whose calls have no answer yet."""
    history: list[dict[str, str]] | None = None
    """The lines up to the first checkpoint."""


def _read_eval_run(fields: Fields, builder: Builder) -> None:
    for name in ("id", "orgId", "createdAt", "updatedAt", "status", "results", "endedReason", "type"):
        fields.drop(name, "it belongs to a run of the eval, not to the eval")
    fields.drop("target", "the agent that was called is not part of the eval: give the file of yours")
    inner = fields.child("eval")
    if inner is not None:
        _read_eval(inner, builder)


def _read_eval(fields: Fields, builder: Builder) -> None:
    agent = builder.agent()
    for name in ("orgId", "createdAt", "updatedAt"):
        fields.drop(name, _KEPT)
    fields.drop("description", "a test has a name alone: put what matters there")
    kind = fields.text("type")
    if kind not in (EVAL, None):
        fields.note("this eval", f"it is of the type `{kind}`, which is not known here")
    talk = _Talk()
    for message in fields.children("messages"):
        _read_message(message, talk, agent)
    if not talk.said:
        fields.note("this eval", "its `messages` hold none of the user's")
        return
    caller = _caller(talk, fields)
    if "messages" in caller and agent.speaks_first is None and agent.greeting is None:
        agent.speaks_first = False
    builder.test(
        agent,
        fields.path,
        {
            "name": fields.text("name"),
            "id": fields.text("id"),
            "caller": caller,
            "tool_mocks": in_order(talk.mocks) or None,
            "checks": _checks(talk, agent, builder.notes),
        },
    )


def _read_message(message: Fields, talk: _Talk, agent: AgentDraft) -> None:
    role = message.text("role")
    if role not in _ROLES:
        message.note("this message", f"its role `{role}` is not one of {', '.join(f'`{name}`' for name in _ROLES)}")
    elif role == "system":
        message.drop("content", "instructions in the middle of a talk: put them into the agent's prompt")
    elif role == "user":
        text = message.text("content") or ""
        talk.said.append(text)
        talk.lines.append({"role": "caller", "text": text})
    elif role == "tool":
        _read_tool_answer(message, talk)
    elif message.has("judge_plan"):
        if talk.history is None:
            talk.history = list(talk.lines)
        talk.checkpoints.append((message, len(talk.said)))
        _note_calls(message.peek("judge_plan"), talk, agent, message)
    else:
        _read_mock_reply(message, talk, agent)


def _note_calls(plan: Json, talk: _Talk, agent: AgentDraft, message: Fields) -> None:
    """Remember which calls a checkpoint expects, since the tool's answers that follow belong to them."""
    peeked = Fields(plan if isinstance(plan, dict) else {}, message.at("judge_plan"), Notes())
    talk.waiting = [
        agent.tool(name, message.path, arguments_of(call, "arguments"))
        for call in peeked.children("tool_calls")
        if (name := call.text("name")) and name not in END_CALL
    ]


def _read_mock_reply(message: Fields, talk: _Talk, agent: AgentDraft) -> None:
    text = message.text("content")
    if text:
        talk.lines.append({"role": "agent", "text": text})
    if talk.checkpoints and text:
        message.note("this reply", "the agent's own reply stands here: only what comes before it can be laid down")
    talk.waiting = []
    for call in message.children("tool_calls"):
        name, arguments = call.text("name"), arguments_of(call, "arguments")
        call.note("this call", "a history holds words only; the answer to it is a prepared one")
        if name and name not in END_CALL:
            talk.waiting.append(agent.tool(name, call.path, arguments))


def _read_tool_answer(message: Fields, talk: _Talk) -> None:
    message.drop("judge_plan", "the answer of a tool is not checked: only what the agent says and does is")
    content = message.take("content")
    message.drop("tool_call_id", "answers go to the calls in their order")
    if content is None:
        return
    if not talk.waiting:
        message.note("this answer", "no call comes before it, so that it is not known which tool gives it")
        return
    # The answer comes whatever the call's arguments are.
    result = parsed(content) if isinstance(content, str) else content
    talk.mocks.append(answer_of(talk.waiting.pop(0), None, result))


def _caller(talk: _Talk, fields: Fields) -> dict[str, object]:
    first = talk.checkpoints[0][1] if talk.checkpoints else len(talk.said)
    if first == len(talk.said) and first:
        history = talk.history if talk.history is not None else talk.lines
        kept = list(history)
        while kept and kept[-1]["role"] == "agent":
            kept.pop()
            fields.note("the assistant's last mock reply", "a history ends with the caller")
        return {"history": kept}
    mocked = sum(line["role"] == "agent" for line in talk.lines)
    if mocked:
        fields.note("the assistant's mock replies", "in a script the agent's own replies stand there")
    return {"messages": talk.said}


# Checkpoints


def _checks(talk: _Talk, agent: AgentDraft, notes: Notes) -> list[object]:
    checks = Checks(notes)
    is_reply = bool(talk.checkpoints) and talk.checkpoints[0][1] == len(talk.said)
    for message, turn in talk.checkpoints:
        is_last = turn == len(talk.said)
        plan = message.child("judge_plan")
        if plan is None:
            continue
        if not is_last:
            notes.add(plan.path, "the turn that is checked", ANY_TURN)
        message.drop("content", "a judged message has the agent's own words")
        _read_plan(plan, checks, agent, where="last" if is_last and not is_reply else "any", is_last=is_last)
        message.drop("continue_plan", "a test goes on to its end, whatever fails")
    return list(checks.made)


def _read_plan(plan: Fields, checks: Checks, agent: AgentDraft, *, where: Where, is_last: bool) -> None:
    kind = plan.text("type")
    if kind == "ai":
        _read_judge(plan, checks, is_last=is_last)
        return
    if kind not in ("exact", "regex"):
        plan.note("this checkpoint", f"its judge is of the type `{kind}`, which is not known here")
        return
    content = plan.text("content")
    if content:
        pattern = whole(content) if kind == "exact" else as_written(content)
        checks.add(plan.at("content"), "`content`", lambda: Matches(pattern=pattern, where=where))
    for call in plan.children("tool_calls"):
        _read_call(call, checks, agent, is_pattern=kind == "regex")


def _read_call(call: Fields, checks: Checks, agent: AgentDraft, *, is_pattern: bool) -> None:
    name, arguments = call.text("name"), arguments_of(call, "arguments")
    if not name:
        call.note("this call", "it names no tool")
    elif name in END_CALL:
        agent.can_end_call = True
        checks.add(call.path, "this call", EndsCall)
    else:
        tool = agent.tool(name, call.path, arguments)
        check = call_of(tool, arguments)
        if is_pattern and arguments:
            check = CallsTool(tool=tool, arguments=arguments, match="regex")
        checks.add(call.path, "this call", lambda: check)


def _read_judge(plan: Fields, checks: Checks, *, is_last: bool) -> None:
    plan.drop("auto_include_message_history", "the judge always sees the whole talk")
    model = plan.child("model")
    prompts: list[str] = []
    for message in model.children("messages") if model else ():
        message.take("role")
        prompts.append(message.text("content") or "")
    if model is not None:
        for name in list(model.untaken()):
            model.drop(name, "name the judge's model in the agent's `judge_llm`")
    text = "\n\n".join(prompt for prompt in prompts if prompt.strip())
    if not text:
        plan.note("this checkpoint", "its judge has no prompt")
    elif is_last:
        checks.add(plan.path, "this checkpoint", lambda: ReplyMeets(criteria=text))
    else:
        question = f"Is this met? {text}"
        checks.add(plan.path, f"the checkpoint {written(plan.path)}", lambda: JudgeCheck(question=question))
