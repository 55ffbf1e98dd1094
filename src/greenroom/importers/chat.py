"""Recorded chats as JSON lines in OpenAI's form: `{"messages": [...]}` a line.

A chat becomes a test of its last reply (the talk before it is the history) or, if asked for, a script of what its
user says. The recorded tool calls become prepared answers, and the recorded last reply what the new one must meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from greenroom.importers.builder import Builder
from greenroom.importers.checks import Checks, answer_of, arguments_of, in_order, parsed
from greenroom.importers.drafts import END_CALL, GIVEN, AgentDraft
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import Document, read_json, read_lines
from greenroom.importers.source import Fields, Notes, Path
from greenroom.model.base import Json
from greenroom.model.case import ToolMock
from greenroom.model.checks import CallsTool, EndsCall, ReplyMeets
from greenroom.model.errors import UserMistake
from greenroom.model.text import shorten

TITLE = "OpenAI-style chats"

_IN_A_HISTORY = "a history holds words only; its recorded answer is a prepared one"
_TRAINING = "it is meant for training"
_REQUEST = "how the model was asked: name it in the agent's `llm`"


def recognises(root: Json) -> bool:
    """Whether data looks like a chat, or a list of them."""
    first = root[0] if isinstance(root, list) and root else root
    messages = first.get("messages") if isinstance(first, dict) else None
    return isinstance(messages, list) and any(isinstance(item, dict) and "role" in item for item in messages)


def read(data: bytes, options: ImportOptions) -> Imported:
    """Read JSON lines; one chat as JSON, or a list of chats, will do too.

    Raises:
        UserMistake: it is not JSON, or holds no chat.
    """
    chats, notes = _read_chats(data)
    builder = Builder(options, notes, TITLE)
    for path, chat in chats:
        if isinstance(chat, dict):
            _read_chat(Fields(chat, path, notes), builder)
        else:
            notes.add(path, "this line", 'a chat is an object: `{"messages": [...]}`')
    return builder.finish()


def _read_chats(data: bytes) -> tuple[list[tuple[Path, Json]], Notes]:
    try:
        lines, notes = read_lines(data)
    except UserMistake as mistake:
        try:
            document = read_json(data)
        except UserMistake:
            raise mistake from None
    else:
        if len(lines) != 1 or not isinstance(lines[0][1], list):
            return lines, notes
        document = Document(lines[0][1], notes)
    root = document.root
    listed = root if isinstance(root, list) else [root]
    return [((index,) if isinstance(root, list) else (), chat) for index, chat in enumerate(listed)], document.notes


@dataclass(frozen=True, slots=True)
class _Call:
    """A recorded call, and its answer."""

    path: Path
    tool: str
    arguments: dict[str, Json] | None
    after: int
    """How many messages of the user's came before."""
    result: Json = None
    is_answered: bool = False

    def answered(self, result: Json) -> _Call:
        return _Call(self.path, self.tool, self.arguments, self.after, result, True)


@dataclass(slots=True)
class _Chat:
    system: list[str] = field(default_factory=list[str])
    lines: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    calls: dict[str, _Call] = field(default_factory=dict[str, _Call])

    @property
    def said(self) -> list[str]:
        return [text for role, text in self.lines if role == "caller"]


def _read_chat(fields: Fields, builder: Builder) -> None:
    tools = _tool_definitions(fields)
    chat = _Chat()
    messages = fields.children("messages")
    for message in messages:
        _read_message(message, chat)
    for name in ("model", "temperature", "max_tokens", "max_completion_tokens", "top_p", "parallel_tool_calls", "seed"):
        fields.drop(name, _REQUEST)
    if not chat.said:
        fields.note("this chat", "its user says nothing in words")
        return
    agent = _agent_of(chat, tools, fields, builder)
    history, reply = _split(chat.lines)
    is_script = builder.options.chats == "script"
    caller: dict[str, object] = {"messages": chat.said} if is_script else {"history": history}
    answers, checks = _calls(chat, agent, builder)
    if reply:
        criteria = f"It says in substance what this reply says:\n{reply}"
        checks.add(fields.at("messages"), "the recorded reply", lambda: ReplyMeets(criteria=criteria))
    name = fields.text("name") or fields.text("id") or shorten(chat.said[-1], 60)
    builder.test(
        agent,
        fields.path,
        {
            "name": name,
            "caller": caller,
            "tool_results": answers.results or None,
            "tool_mocks": answers.mocks,
            "checks": checks.made,
        },
    )


def _split(lines: list[tuple[str, str]]) -> tuple[list[dict[str, str]], str]:
    """The talk up to the user's last message, and what was replied to it."""
    last = max(index for index, (role, _) in enumerate(lines) if role == "caller")
    reply = "\n".join(text for _, text in lines[last + 1 :])
    return [{"role": role, "text": text} for role, text in lines[: last + 1]], reply


def _agent_of(chat: _Chat, tools: list[Fields], fields: Fields, builder: Builder) -> AgentDraft:
    """The agent of a chat: one for each system prompt and set of tools."""
    system = "\n\n".join(chat.system)
    named = sorted(str(tool.peek("name")) for tool in tools)
    agent = builder.agent((system, *named), path=fields.path)
    if agent.is_given:
        if system:
            fields.notes.add(fields.at("messages"), "the system message", GIVEN)
    elif agent.prompt is None:
        agent.prompt = system or None
        agent.speaks_first = chat.lines[0][0] == "agent"
    for tool in tools:
        agent.describe_tool(tool)
    return agent


def _tool_definitions(fields: Fields) -> list[Fields]:
    found = fields.children("functions")
    for tool in fields.children("tools"):
        kind = tool.text("type")
        described = tool.child("function")
        if described is None:
            tool.note("this tool", f"it is of the type `{kind}`, and only functions can be imported")
            for name in list(tool.untaken()):
                tool.take(name)
            continue
        described.drop("strict", "arguments are always checked against the schema")
        found.append(described)
    return found


# Messages


def _read_message(message: Fields, chat: _Chat) -> None:
    role = message.text("role")
    message.drop("weight", _TRAINING)
    match role:
        case "system" | "developer":
            text = _text_of(message)
            if chat.lines and text:
                message.note("this message", "instructions in the middle of a talk: put them into the agent's prompt")
            elif text:
                chat.system.append(text)
        case "user":
            message.drop("name", "the caller is one person")
            if text := _text_of(message):
                chat.lines.append(("caller", text))
        case "assistant":
            _read_assistant(message, chat)
        case "tool" | "function":
            _read_answer(message, chat)
        case _:
            message.note("this message", f"its role is `{role}`, which is not known here")
            message.drop("content", "its role is not known here")


def _text_of(message: Fields) -> str:
    """The words of a message: a text, or the text parts of a list."""
    if not isinstance(message.peek("content"), list):
        return message.text("content") or ""
    words: list[str] = []
    for part in message.children("content"):
        kind = part.text("type")
        if kind in ("text", "input_text", "output_text", "refusal"):
            words.append(part.text("text") or part.text("refusal") or "")
        else:
            part.note(f"a part of the type `{kind}`", "a talk is in words alone")
            for name in list(part.untaken()):
                part.take(name)
    return "\n".join(word for word in words if word)


def _read_assistant(message: Fields, chat: _Chat) -> None:
    message.drop("name", "the agent has one name")
    text = _text_of(message) or message.text("refusal") or ""
    if text:
        chat.lines.append(("agent", text))
    calls = message.children("tool_calls")
    old = message.child("function_call")
    for call in calls:
        call.take("type")
        identity = call.text("id") or f"#{len(chat.calls)}"
        if (function := call.child("function")) is not None:
            _note_call(function, identity, chat)
    if old is not None:
        _note_call(old, f"#{len(chat.calls)}", chat)


def _note_call(function: Fields, identity: str, chat: _Chat) -> None:
    name, arguments = function.text("name"), arguments_of(function, "arguments")
    if name:
        chat.calls[identity] = _Call(function.path, name, arguments, len(chat.said))
    else:
        function.note("this call", "it names no tool")


def _read_answer(message: Fields, chat: _Chat) -> None:
    identity, name = message.text("tool_call_id"), message.text("name")
    result = parsed(_text_of(message))
    if identity is None:
        # Old chats name the function instead: its first call that has no answer yet.
        open_calls = [key for key, call in chat.calls.items() if not call.is_answered and name in (call.tool, None)]
        identity = open_calls[0] if open_calls else None
    if identity is None or identity not in chat.calls:
        message.note("this answer", "it answers no call of the chat")
    else:
        chat.calls[identity] = chat.calls[identity].answered(result)


# Calls


def _calls(chat: _Chat, agent: AgentDraft, builder: Builder) -> tuple[_Answers, Checks]:
    """The recorded answers, and checks that the calls of the last reply (of all replies, in a script) are made."""
    checks = Checks(builder.notes)
    first_live = 0 if builder.options.chats == "script" else len(chat.said)
    answers: dict[str, list[_Call]] = {}
    for call in chat.calls.values():
        is_live = call.after >= first_live
        if call.tool in END_CALL:
            agent.can_end_call = True
            if is_live:
                checks.add(call.path, "this call", EndsCall)
            continue
        tool = agent.tool(call.tool, call.path, call.arguments)
        if call.is_answered:
            answers.setdefault(tool, []).append(call)
        if is_live:
            names = list(call.arguments or {}) or None
            checks.add(call.path, "this call", lambda tool=tool, names=names: CallsTool(tool=tool, arguments=names))
        else:
            builder.notes.add(call.path, "this call", _IN_A_HISTORY)
    return _Answers(answers), checks


@dataclass(frozen=True, slots=True)
class _Answers:
    """The recorded answers by tool."""

    calls: dict[str, list[_Call]]

    @property
    def mocks(self) -> list[ToolMock]:
        """By arguments, where a tool answered differently."""
        return in_order(
            answer_of(tool, call.arguments, call.result)
            for tool, calls in self.calls.items()
            if any(call.result != calls[0].result for call in calls)
            for call in calls
            if call.arguments
        )

    @property
    def results(self) -> dict[str, Json]:
        """For all other arguments: what a tool answered last."""
        return {tool: calls[-1].result for tool, calls in self.calls.items()}
