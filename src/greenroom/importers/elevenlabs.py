"""ElevenLabs agent tests, as its API answers with them and its command line stores them.

| type | becomes |
| --- | --- |
| `simulation` | a persona, its success conditions as criteria |
| `llm` | a next reply that must meet the success condition |
| `tool` | a dry run of a next reply: the first tool that the agent picks |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from greenroom.importers.builder import Builder
from greenroom.importers.checks import Checks, answer_of, failure_of, in_order, parsed
from greenroom.importers.drafts import END_CALL, AgentDraft
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import read_json
from greenroom.importers.source import Fields, Notes, Path, mappings
from greenroom.model.base import Json
from greenroom.model.case import ToolMock
from greenroom.model.checks import CallsTool, Criterion, EndsCall, ReplyMeets
from greenroom.model.errors import UserMistake

TITLE = "ElevenLabs"

_ELSEWHERE = "it says where the test is kept in ElevenLabs"
_JUDGE = "name models in the agent's `judge_llm` and `caller_llm`"
_WORDS_ONLY = "a history holds words only"
_KNOWN = ("chat_history", "success_condition", "simulation_scenario", "tool_call_parameters", "success_conditions")
_COMPANIONS = {"exact": "expected_value", "regex": "pattern", "llm": "description"}
_PARTS = ("body", "query", "path", "path_params", "query_params")


def recognises(root: Json) -> bool:
    """Whether data looks like a test, or tests, of ElevenLabs."""
    return any(_is_test(fields) for fields in _mappings(root))


def read(data: bytes, options: ImportOptions) -> Imported:
    """Read one test, a list of tests, or an object that holds them under `tests`.

    Raises:
        UserMistake: it is not JSON, or holds no such test.
    """
    document = read_json(data)
    builder = Builder(options, document.notes, TITLE)
    found = list(_mappings(document.root))
    if found and all("config" in test and not _is_test(test) for test in found):
        raise UserMistake(
            "this is the index that the command line keeps: import the files in its `test_configs` folder"
        )
    for fields in _tests(document.root, builder):
        _read_test(fields, builder)
    return builder.finish()


def _mappings(root: Json) -> Iterator[dict[str, Json]]:
    if isinstance(root, dict) and "tests" in root and not _is_test(root):
        root = root["tests"]
        root = list(root.values()) if isinstance(root, dict) else root
    for item in root if isinstance(root, list) else [root]:
        if isinstance(item, dict):
            yield item


def _is_test(data: Mapping[str, Json]) -> bool:
    fields = Fields(data, (), Notes())
    return any(fields.has(name) for name in _KNOWN)


def _tests(root: Json, builder: Builder) -> Iterator[Fields]:
    notes = builder.notes
    if isinstance(root, dict):
        fields = Fields(root, (), notes)
        if "tests" not in root or _is_test(root):
            yield fields
        elif isinstance(root["tests"], dict) and (by_id := fields.child("tests")) is not None:
            yield from (test for name in by_id.names() if (test := by_id.child(name)) is not None)
        else:
            yield from fields.children("tests")
    elif isinstance(root, list):
        yield from mappings(root, notes)


def _read_test(fields: Fields, builder: Builder) -> None:
    kind = fields.text("type")
    if kind is None:
        kind = "simulation" if fields.has("simulation_scenario") else "llm"
        kind = "tool" if fields.has("tool_call_parameters") else kind
    match kind:
        case "simulation":
            _read_simulation(fields, builder)
        case "tool":
            _read_tool_test(fields, builder)
        case "llm":
            _read_reply_test(fields, builder)
        case _:
            fields.note("this test", f"it is of the type `{kind}`, which is not known here")


def _common(fields: Fields, builder: Builder) -> tuple[AgentDraft, dict[str, object]]:
    """What all types of test have."""
    for name in ("parent_folder_id", "folder_id", "folder_path", "created_at_unix_secs", "last_updated_at_unix_secs"):
        fields.drop(name, _ELSEWHERE)
    fields.drop("access_info", _ELSEWHERE)
    fields.drop("from_conversation_metadata", "it says which recorded call the test was made from")
    variables = fields.scalars("dynamic_variables")
    return builder.agent(), {
        "name": fields.text("name"),
        "id": fields.text("id"),
        "variables": variables or None,
    }


# What was said before


def _read_history(fields: Fields, agent: AgentDraft) -> tuple[list[dict[str, str]], list[ToolMock]]:
    """The lines up to the last of the caller's, and the recorded tool results as prepared answers."""
    lines: list[tuple[Path, dict[str, str]]] = []
    mocks: list[ToolMock] = []
    for turn in fields.children("chat_history"):
        role, text = turn.text("role"), turn.text("message")
        mocks.extend(_recorded_answers(turn, agent))
        turn.drop("time_in_call_secs", "a history has no times")
        if role not in ("user", "agent"):
            turn.note("this line", f"its role is `{role}`: a history holds lines of `user` and `agent`")
        elif text:
            lines.append((turn.path, {"role": "caller" if role == "user" else "agent", "text": text}))
    while lines and lines[-1][1]["role"] == "agent":
        path, _ = lines.pop()
        fields.notes.add(path, "this line", "a history ends with the caller, since the reply to it is what is tested")
    return [line for _, line in lines], mocks


def _recorded_answers(turn: Fields, agent: AgentDraft) -> Iterator[ToolMock]:
    calls: dict[str, Json] = {}
    for call in turn.children("tool_calls"):
        request, given = call.text("request_id"), call.text("params_as_json")
        if request and given:
            calls[request] = parsed(given)
        for name in ("tool_name", "type", "tool_has_been_called"):
            call.take(name)
        call.note("this call", f"{_WORDS_ONLY}; its recorded result is a prepared answer")
    for result in turn.children("tool_results"):
        name, value = result.text("tool_name"), result.text("result_value")
        when = calls.get(result.text("request_id") or "")
        failed = result.flag("is_error")
        for key in ("type", "tool_has_been_called"):
            result.take(key)
        if name and value is not None and name not in END_CALL:
            arguments = when if isinstance(when, dict) else None
            tool = agent.tool(name, result.path, arguments)
            yield (failure_of(tool, arguments, value) if failed else answer_of(tool, arguments, parsed(value)))


# The next reply


def _read_reply_test(fields: Fields, builder: Builder) -> None:
    agent, common = _common(fields, builder)
    history, mocks = _read_history(fields, agent)
    checks = Checks(builder.notes)
    if criteria := _criteria(fields):
        checks.add(fields.at("success_condition"), "the success condition", lambda: ReplyMeets(criteria=criteria))
    if not history:
        fields.note("this test", "its `chat_history` holds no message of the user's to reply to")
        return
    made = {**common, "caller": {"history": history}, "tool_mocks": in_order(mocks) or None, "checks": checks.made}
    builder.test(agent, fields.path, made)


def _criteria(fields: Fields) -> str:
    """The success condition, and the examples that ElevenLabs' judge is shown with it."""
    parts = [fields.text("success_condition") or ""]
    for name, lead in (("success_examples", "Good replies"), ("failure_examples", "Bad replies")):
        said: list[str] = []
        for example in fields.children(name):
            example.take("type")
            said.append(example.text("response") or "")
        listed = "\n".join(f"- {text}" for text in said if text)
        parts.append(f"{lead} are, for example:\n{listed}" if listed else "")
    return "\n\n".join(part for part in parts if part.strip())


# Tool calls


def _read_tool_test(fields: Fields, builder: Builder) -> None:
    agent, common = _common(fields, builder)
    history, mocks = _read_history(fields, agent)
    checks = Checks(builder.notes)
    wanted = fields.child("tool_call_parameters")
    fields.take("check_any_tool_matches")  # any call that fits is enough here too
    for name in ("success_condition", "success_examples", "failure_examples"):
        fields.drop(name, "a tool test is decided by the call alone")
    if wanted is not None:
        _read_wanted_call(wanted, agent, checks)
    if not history:
        fields.note("this test", "its `chat_history` holds no message of the user's to reply to")
        return
    ends = any(isinstance(check, EndsCall) for check in checks.made)
    made = {
        **common,
        "caller": {"history": history},
        "tool_mocks": in_order(mocks) or None,
        "tools": None if ends else "plan",
        "checks": checks.made,
    }
    builder.test(agent, fields.path, made)


def _read_wanted_call(wanted: Fields, agent: AgentDraft, checks: Checks) -> None:
    referenced = wanted.child("referenced_tool")
    absent = wanted.flag("verify_absence") or False
    named = referenced.text("id") if referenced else None
    kind = referenced.text("type") if referenced else None
    wanted.drop("workflow_node_transition", "Greenroom's agents have no workflow nodes")
    if not named:
        wanted.drop("parameters", "they belong to no tool by name")
        wanted.note("the expected call", "it names no tool: a check of a call names one")
        return
    if named in END_CALL:
        agent.can_end_call = True
        if absent:
            checks.add(wanted.path, "the call", lambda: CallsTool(tool="end_call", times=0, expect_planned=True))
        else:
            checks.add(wanted.path, "the call", EndsCall)
        wanted.drop("parameters", "hanging up has no arguments")
        return
    tool = _named_by_id(agent, named, wanted.path)
    if absent:
        wanted.drop("parameters", "a call that must not happen has no arguments")
        checks.add(wanted.path, "the call", lambda: CallsTool(tool=tool, times=0, expect_planned=True))
        return
    conditions = _conditions(wanted.children("parameters"), is_webhook=kind == "webhook")
    before = len(checks.made)
    if conditions.names:
        checks.add(
            wanted.path, "the call", lambda: CallsTool(tool=tool, arguments=conditions.names, expect_planned=True)
        )
    for kind, arguments in conditions.compared.items():
        if arguments:
            match = "judge" if kind == "llm" else kind
            data = {"tool": tool, "arguments": arguments, "match": match, "expect_planned": True}
            checks.add(wanted.path, "the call", lambda data=data: CallsTool.model_validate(data))
    if len(checks.made) == before:
        checks.add(wanted.path, "the call", lambda: CallsTool(tool=tool, expect_planned=True))
    agent.tool(tool, wanted.path, {**dict.fromkeys(conditions.names), **conditions.compared["exact"]})


def _named_by_id(agent: AgentDraft, named: str, path: Path) -> str:
    tool = agent.tool(named, path)
    if tool == named and named.startswith("tool_"):
        agent.notes.add(path, f"the name of the tool `{named}`", "the export has its id alone: name it by `ID=NAME`")
    return tool


class _Conditions:
    """What is asked of the arguments of a call: which must be there, and what the others are compared with."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.compared: dict[str, dict[str, Json]] = {kind: {} for kind in _COMPANIONS}


def _conditions(parameters: Iterable[Fields], *, is_webhook: bool) -> _Conditions:
    found = _Conditions()
    for parameter in parameters:
        path, how = parameter.text("path"), parameter.child("eval")
        kind = how.text("type") if how else None
        steps = (path or "").split(".")
        if is_webhook and len(steps) > 1 and steps[0] in _PARTS:
            steps = steps[1:]
        if not all(steps) or how is None:
            parameter.note("this parameter", "it has no `path` or no `eval`")
        elif any(step.isdigit() for step in steps):
            parameter.note("this parameter", "an item of a list cannot be checked by its number")
        elif kind == "anything":
            found.names.append(steps[0])
        elif kind in _COMPANIONS:
            name, into = _COMPANIONS[kind], found.compared[kind]
            value = how.text(name)
            if value is None or not _put(into, steps, value):
                parameter.note("this parameter", f"it has no `{name}`, or stands below another one")
        else:
            parameter.note("this parameter", f"how it is compared, `{kind}`, is not known here")
    return found


def _put(into: dict[str, Json], steps: list[str], value: Json) -> bool:
    for step in steps[:-1]:
        deeper = into.setdefault(step, {})
        if not isinstance(deeper, dict):
            return False
        into = deeper
    into[steps[-1]] = value
    return True


# Simulations


def _read_simulation(fields: Fields, builder: Builder) -> None:
    agent, common = _common(fields, builder)
    persona = fields.text("simulation_scenario")
    checks = Checks(builder.notes)
    conditions = [*fields.texts("success_conditions"), *fields.texts("success_condition")]
    for text in dict.fromkeys(conditions):
        checks.add(fields.at("success_condition"), "a success condition", lambda text=text: Criterion(text=text))
    fields.drop("chat_history", "a persona's talk starts at its beginning: tell in the persona what went before")
    for name in ("evaluation_model", "simulated_user_model"):
        fields.drop(name, _JUDGE)
    fields.drop("simulation_environment", _ELSEWHERE)
    mocks = _read_mocks(fields, agent)
    if not persona:
        fields.note("this test", "it has no `simulation_scenario`, which says who calls")
        return
    made = {
        **common,
        "caller": {"persona": persona},
        "max_turns": fields.whole("simulation_max_turns") or None,
        "tool_mocks": in_order(mocks) or None,
        "checks": checks.made,
    }
    builder.test(agent, fields.path, made)


def _read_mocks(fields: Fields, agent: AgentDraft) -> list[ToolMock]:
    config = fields.child("tool_mock_config")
    if config is not None:
        strategy = config.text("mocking_strategy")
        if strategy not in ("all", None):
            config.note(
                f"`mocking_strategy: {strategy}`",
                "tools are answered canned here; `tools: real` in the test calls them",
            )
        config.drop("mocked_tool_ids", "tools are answered canned here, whatever their id")
        config.drop("fallback_strategy", 'a tool without a prepared answer gives `{"ok": true}`')
    overrides = fields.child("tool_mock_overrides")
    mocks: list[ToolMock] = []
    for named in overrides.names() if overrides else ():
        if overrides is None:
            break
        for mock in overrides.children(named):
            mocks.extend(_read_mock(mock, _named_by_id(agent, named, overrides.at(named))))
    return mocks


def _read_mock(mock: Fields, tool: str) -> Iterator[ToolMock]:
    conditions = _conditions(mock.children("parameter_conditions"), is_webhook=True)
    result, failed = mock.text("mock_result"), mock.flag("is_error")
    if conditions.compared["regex"] or conditions.compared["llm"]:
        mock.note("this prepared answer", "it depends on arguments by pattern or meaning: here they must be equal")
    elif result is None:
        mock.note("this prepared answer", "it has no `mock_result`")
    elif failed:
        yield failure_of(tool, conditions.compared["exact"], result)
    else:
        yield answer_of(tool, conditions.compared["exact"], parsed(result))
