"""promptfoo's assertions as checks.

A test of a simulated user is judged by all of its talk, one of a prompt by the one reply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from greenroom.importers.checks import ANY_CAPITALS, Checks, as_written, beginning, one_of, whole
from greenroom.importers.drafts import AgentDraft
from greenroom.importers.source import Fields, kind_of
from greenroom.importers.templates import is_a_file, rendered, rendered_data, value_text
from greenroom.model.base import Json
from greenroom.model.checks import (
    CallsTool,
    Check,
    Criterion,
    Matches,
    MaxLatency,
    MaxWords,
    NeverCallsTool,
    NeverMatches,
    NeverSays,
    ReplyMeets,
    Says,
    ToolOrder,
)

_AGENT_ALONE = "promptfoo looks at the caller's lines too, and a check at the agent's alone"
_RUBRICS = frozenset({"llm-rubric", "model-graded-closedqa", "g-eval", "trajectory:goal-success"})
_OPTIONS = ("threshold", "provider", "rubric_prompt", "metric", "config", "context_transform")


@dataclass(frozen=True, slots=True)
class _Assertion:
    fields: Fields
    checks: Checks
    agent: AgentDraft
    variables: Mapping[str, str]
    is_talk: bool
    is_required: bool

    @property
    def what(self) -> str:
        return f"`{self.fields.text('type')}`"

    def add(self, make: Callable[[], Check]) -> None:
        def required() -> Check:
            check = make()
            return check if self.is_required else check.model_copy(update={"required": False})

        self.checks.add(self.fields.path, self.what, required)

    def note(self, why: str) -> None:
        self.checks.notes.add(self.fields.path, self.what, why)

    def fill(self, text: str) -> str:
        return rendered(text, self.variables, self.checks.notes, self.fields.at("value"))

    def texts(self) -> list[str]:
        """The values, filled in."""
        return [text for text in map(self.fill, self.fields.texts("value")) if text.strip()]


def read_assertion(
    fields: Fields, checks: Checks, agent: AgentDraft, variables: Mapping[str, str], *, is_talk: bool
) -> None:
    """Add the checks that an assertion stands for."""
    kind = fields.text("type") or ""
    weight = fields.number("weight")
    if weight not in (None, 0, 1):
        checks.notes.add(fields.at("weight"), "`weight`", "a check is required or it is not: a weight of 0 makes it so")
    assertion = _Assertion(fields, checks, agent, variables, is_talk, is_required=weight != 0)
    if kind == "assert-set":
        _read_set(assertion)
        return
    before = len(checks.made)
    if fields.has("transform"):
        assertion.note("its `transform` changes the reply before it is looked at")
        for name in list(fields.untaken()):
            fields.take(name)
        return
    is_negated = kind.startswith("not-")
    plain = kind.removeprefix("not-")
    readers = _NEGATED if is_negated else _READERS
    if plain in readers:
        value = fields.peek("value")
        if isinstance(value, str) and is_a_file(value):
            fields.drop("value", "it stands in a file of its own, which is not read")
        else:
            readers[plain](assertion)
    else:
        assertion.note("Greenroom has no such check")
        for name in list(fields.untaken()):
            fields.take(name)
        return
    if len(checks.made) > before and is_talk and plain in _LOOKS_AT_TEXT:
        checks.notes.add(fields.path, assertion.what, _AGENT_ALONE)
    for name in _OPTIONS:
        fields.drop(name, "how promptfoo grades it has no counterpart")


def _read_set(assertion: _Assertion) -> None:
    fields = assertion.fields
    threshold = fields.number("threshold")
    fields.drop("metric", "how promptfoo grades it has no counterpart")
    if threshold not in (None, 1):
        assertion.note("that some of several checks are enough has no counterpart")
        fields.take("assert")
        return
    for inner in fields.children("assert"):
        read_assertion(inner, assertion.checks, assertion.agent, assertion.variables, is_talk=assertion.is_talk)


# Texts


def _contains(assertion: _Assertion) -> None:
    for text in assertion.texts():
        assertion.add(lambda text=text: Says(text=text))


def _contains_as_it_is(assertion: _Assertion) -> None:
    _contains(assertion)
    _note_capitals(assertion)


def _note_capitals(assertion: _Assertion) -> None:
    if any(text != text.upper() or text != text.lower() for text in assertion.fields.texts("value")):
        assertion.note(ANY_CAPITALS)


def _never_contains(assertion: _Assertion) -> None:
    for text in assertion.texts():
        assertion.add(lambda text=text: NeverSays(text=text))


def _never_contains_as_it_is(assertion: _Assertion) -> None:
    _never_contains(assertion)
    _note_capitals(assertion)


def _contains_any(assertion: _Assertion, *, any_capitals: bool = False) -> None:
    texts = assertion.texts()
    if texts:
        pattern = one_of(texts, any_capitals=any_capitals)
        assertion.add(lambda: Matches(pattern=pattern))


def _icontains_any(assertion: _Assertion) -> None:
    _contains_any(assertion, any_capitals=True)


def _pattern(assertion: _Assertion, make: Callable[[str], str], *, negated: bool = False) -> None:
    value = assertion.fields.take("value")
    if isinstance(value, dict | list) or value is None:
        assertion.note(f"its value is {kind_of(value)}, and no text")
        return
    pattern = make(assertion.fill(value_text(value)))
    kind = NeverMatches if negated else Matches
    assertion.add(lambda: kind(pattern=pattern))


def _equals(assertion: _Assertion) -> None:
    _pattern(assertion, whole)


def _not_equals(assertion: _Assertion) -> None:
    _pattern(assertion, whole, negated=True)


def _starts(assertion: _Assertion) -> None:
    _pattern(assertion, beginning)


def _starts_not(assertion: _Assertion) -> None:
    _pattern(assertion, beginning, negated=True)


def _regex(assertion: _Assertion) -> None:
    _pattern(assertion, as_written)


def _not_regex(assertion: _Assertion) -> None:
    _pattern(assertion, as_written, negated=True)


# Judged


def _rubric(assertion: _Assertion) -> None:
    for text in assertion.texts():
        _add_criterion(assertion, text)


def _factuality(assertion: _Assertion) -> None:
    for text in assertion.texts():
        _add_criterion(assertion, f"What the agent says agrees with these facts: {text}")


def _refusal(assertion: _Assertion) -> None:
    _add_criterion(assertion, "The agent refuses what is asked of it.")


def _no_refusal(assertion: _Assertion) -> None:
    _add_criterion(assertion, "The agent does not refuse what is asked of it.")


def _add_criterion(assertion: _Assertion, text: str) -> None:
    if assertion.is_talk:
        assertion.add(lambda: Criterion(text=text))
    else:
        assertion.add(lambda: ReplyMeets(criteria=text))


# Figures


def _latency(assertion: _Assertion) -> None:
    threshold = assertion.fields.number("threshold")
    if threshold is None or threshold < 1:
        assertion.note("it has no `threshold` in milliseconds")
    else:
        assertion.add(lambda: MaxLatency(max=int(threshold)))


def _word_count(assertion: _Assertion) -> None:
    value = assertion.fields.take("value")
    most = value.get("max") if isinstance(value, dict) else None
    if isinstance(most, int) and not isinstance(most, bool):
        assertion.add(lambda: MaxWords(max=most))
        if isinstance(value, dict) and "min" in value:
            assertion.note("a reply has a greatest number of words, and no least")
    else:
        assertion.note("a reply has a greatest number of words alone: it names none")


# Tools


def _tools_of(assertion: _Assertion) -> list[str]:
    value = assertion.fields.take("value")
    listed = value if isinstance(value, list) else [value]
    names: list[str] = []
    for item in listed:
        if isinstance(item, dict):
            names.extend([str(item["name"])] if isinstance(item.get("name"), str) else [])
            for name in ("min", "max", "pattern"):
                if name in item:
                    assertion.note(f"its `{name}` has no counterpart")
        elif isinstance(item, str):
            names.append(item)
    if not names:
        assertion.note("it names no tool")
    return [assertion.agent.tool(name, assertion.fields.path) for name in names]


def _tool_used(assertion: _Assertion) -> None:
    for name in _tools_of(assertion):
        assertion.add(lambda name=name: CallsTool(tool=name))


def _tool_not_used(assertion: _Assertion) -> None:
    for name in _tools_of(assertion):
        assertion.add(lambda name=name: NeverCallsTool(tool=name))


def _tool_arguments(assertion: _Assertion) -> None:
    value = assertion.fields.child("value")
    name = value.text("name") if value is not None else None
    arguments: Json = value.take("args") if value is not None else None
    if value is None or not name or not isinstance(arguments, dict):
        assertion.note("it names no tool and arguments")
        return
    if value.text("mode") == "exact":
        assertion.note("further arguments of a call do not matter here")
    for key in ("defaults", "ignore"):
        value.drop(key, "further arguments of a call do not matter here")
    filled = rendered_data(arguments, assertion.variables, assertion.checks.notes, value.at("args"))
    tool = assertion.agent.tool(name, assertion.fields.path, arguments)
    data = {"tool": tool, "arguments": filled}
    assertion.add(lambda: CallsTool.model_validate(data))


def _tool_sequence(assertion: _Assertion) -> None:
    value = assertion.fields.peek("value")
    steps: list[str] = []
    if isinstance(value, dict):
        sequence = assertion.fields.child("value")
        if sequence is not None:
            steps = sequence.texts("steps")
            if sequence.text("mode") == "exact":
                assertion.note("other calls may stand between those of a `tool_order`")
    else:
        steps = assertion.fields.texts("value")
    names = [assertion.agent.tool(name, assertion.fields.path) for name in steps]
    assertion.add(lambda: ToolOrder(tools=names))


_LOOKS_AT_TEXT = frozenset(
    {"contains", "icontains", "contains-all", "icontains-all", "contains-any", "icontains-any", "regex", "equals"}
) | {"starts-with"}
_READERS: Mapping[str, Callable[[_Assertion], None]] = {
    "contains": _contains_as_it_is,
    "icontains": _contains,
    "contains-all": _contains_as_it_is,
    "icontains-all": _contains,
    "contains-any": _contains_any,
    "icontains-any": _icontains_any,
    "equals": _equals,
    "starts-with": _starts,
    "regex": _regex,
    **dict.fromkeys(_RUBRICS, _rubric),
    "factuality": _factuality,
    "is-refusal": _refusal,
    "latency": _latency,
    "word-count": _word_count,
    "trajectory:tool-used": _tool_used,
    "trajectory:tool-args-match": _tool_arguments,
    "trajectory:tool-sequence": _tool_sequence,
}
_NEGATED: Mapping[str, Callable[[_Assertion], None]] = {
    "contains": _never_contains_as_it_is,
    "icontains": _never_contains,
    "contains-any": _never_contains_as_it_is,
    "icontains-any": _never_contains,
    "equals": _not_equals,
    "starts-with": _starts_not,
    "regex": _not_regex,
    "is-refusal": _no_refusal,
    "trajectory:tool-used": _tool_not_used,
}
