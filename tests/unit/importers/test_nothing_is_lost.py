"""What holds for every importer: nothing of a file is lost silently, and no file makes an importer fail."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.support.import_samples import SAMPLES
from tests.support.importing import imported, read_as

from greenroom.importers import ImportOptions, detect, importers, to_yaml
from greenroom.importers.source import written
from greenroom.model.agent import Agent, Tool
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits
from greenroom.model.rules import check_agent, check_test

FORMATS = sorted(importers())

Path = tuple[str | int, ...]

# What says how the rest is meant, and becomes the kind of a test or check, or is so by default.
STRUCTURE = {
    *("type", "role", "eval", "comparator", "maxConcurrency", "mode", "request_id", "tool_call_id", "isWebhookEnabled"),
    *("check_any_tool_matches", "verify_absence", "is_error", "required", "enabled", "weight", "event", "tool_name"),
    *("tool_has_been_called", "params_as_json", "expected_value", "id", "response", "iterations", "structuredOutputId"),
}
# Read into a whole: a text that is filled in, a model's name, a field of JSON that is written as text.
REWRITTEN = {"model", "provider", "providers", "instructions", "content", "arguments", "mock_result", "result_value"}


def _data(sample: str) -> Any:
    name, text = SAMPLES[sample]
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text) if name.endswith(".json") else YAML(typ="safe", pure=True).load(text)


def _text(sample: str, data: Any) -> str:
    if SAMPLES[sample][0].endswith(".jsonl"):
        return "\n".join(json.dumps(line) for line in data)
    return json.dumps(data)


def _objects(value: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
        for name, item in value.items():
            yield from _objects(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _objects(item, (*path, index))


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _placed(sample: str, path: Path) -> str:
    """A path as notes write it, without its numbers."""
    if SAMPLES[sample][0].endswith(".jsonl"):
        path = (f"line {int(path[0]) + 1}", *path[1:])
    return _numberless(written(path))


def _numberless(place: str) -> str:
    return "".join(character for character in place if not character.isdigit())


def _listed(sample: str, data: Any) -> set[str]:
    result = read_as(sample.split()[0], _text(sample, data))
    return {_numberless(entry.place).rpartition(", ")[2] for entry in result.not_carried}


def _listed_as_a_whole(sample: str) -> set[str]:
    """Where everything below is listed by one entry: the field itself, or the object that stands there."""
    found: set[str] = set()
    for entry in imported(sample).not_carried:
        is_field = entry.what.strip("`") == re.split(r"[.\]]", entry.place)[-1]
        if is_field or entry.what.startswith(("this ", "a part ")) or entry.why == "Greenroom has no such check":
            found.add(_numberless(entry.place).rpartition(", ")[2])
    return found


# Objects whose keys are the user's own data: their values are carried as they are.
OPEN = {
    *("dynamic_variables", "arguments", "variableValues", "injectedParameters", "userdata", "metadata", "tags", "vars"),
    *("parameters", "properties", "to", "args", "diagnosticInfo", "sessionParameters", "evaluateOptions"),
    *("image_url", "schema", "value", "tool_mock_overrides", "phone", "bike"),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_field_that_nobody_knows_is_listed_wherever_it_stands(sample: str) -> None:
    data = _data(sample)
    as_a_whole = _listed_as_a_whole(sample)
    checked = 0
    for path, _ in _objects(data):
        if {step for step in path if isinstance(step, str)} & OPEN:
            continue
        if any(_placed(sample, path[:length]) in as_a_whole for length in range(1, len(path) + 1)):
            continue
        changed = copy.deepcopy(data)
        target = changed
        for step in path:
            target = target[step]
        target["zz_unheard_of"] = "something"
        assert _placed(sample, (*path, "zz_unheard_of")) in _listed(sample, changed), written(path)
        checked += 1
    assert checked >= 2


AGENT = Agent(name="Given", prompt="P", tools=[Tool(name="next_ferry"), Tool(name="get_price")])


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("options", [ImportOptions(), ImportOptions(agents=(AGENT,))], ids=["alone", "with an agent"])
def test_each_value_of_a_file_is_carried_or_listed(sample: str, options: ImportOptions) -> None:
    result = imported(sample, options)
    carried = json.dumps(
        [model.model_dump(mode="json") for model in (*result.agents, *result.tests)], ensure_ascii=False
    ).casefold()
    carried += " ".join(entry.what for entry in result.not_carried).casefold()  # a check that does not fit, by name
    listed = {_numberless(entry.place).rpartition(", ")[2] for entry in result.not_carried}

    for path, value in _leaves(_data(sample)):
        if value in (None, "") or STRUCTURE & {path[-1], *[step for step in path[-2:-1] if isinstance(step, int)]}:
            continue
        if any(_placed(sample, path[:length]) in listed for length in range(1, len(path) + 1)):
            continue
        inner = json.loads(value) if isinstance(value, str) and value[:1] == "{" and "{{" not in value else value
        shown = json.dumps(inner, ensure_ascii=False).strip('"').casefold()
        name = next(step for step in reversed(path) if isinstance(step, str))
        rewritten = name in REWRITTEN or "{{" in str(value) or "\n" in str(value)
        assert rewritten or shown.strip("#") in carried, f"{written(path)} is neither carried nor listed"


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_imported_test_is_valid_by_the_rules(sample: str) -> None:
    result = imported(sample)
    by_name = {agent.name: agent for agent in result.agents}

    for agent in result.agents:
        assert check_agent(agent, Limits()) == ()
    for test in result.tests:
        agent = by_name[test.agent] if test.agent else result.agents[0]
        assert check_test(test, agent, {}, Limits()) == ()


# Junk

_KEYS = sorted(
    {str(step) for sample in SAMPLES for path, _ in _leaves(_data(sample)) for step in path if isinstance(step, str)}
)
_WORDS = st.sampled_from(
    [
        *(
            "user",
            "assistant",
            "agent",
            "tool",
            "simulation",
            "llm",
            "exact",
            "regex",
            "ai",
            "=",
            "contains",
            "end_call",
        ),
        *("(", "x" * 300, "", " ", "\x00", "promptfoo:simulated-user", "file://x", "chat.mockConversation", "{", "[1"),
        *("{{x}}", "💥\ud83d"),
    ]
)
_JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS) | _WORDS, inner, max_size=6),
    max_leaves=25,
)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[str, str]:
    """A sample in which some values are something else."""
    sample = draw(st.sampled_from(sorted(SAMPLES)))
    data = _data(sample)
    for _ in range(draw(st.integers(1, 4))):
        places = [path for path, _ in _leaves(data) if path] + [path for path, _ in _objects(data) if path]
        if not places:
            break
        path = draw(st.sampled_from(places))
        target = data
        for step in path[:-1]:
            target = target[step]
        target[path[-1]] = draw(_JUNK)
    return sample.split()[0], _text(sample, data)


def _is_said_in_words(mistake: UserMistake) -> None:
    assert str(mistake).strip()
    assert "Traceback" not in str(mistake)


def _loads(name: str, text: str) -> None:
    try:
        result = importers()[name].read(text.encode("utf-8", "surrogatepass"), ImportOptions())
    except UserMistake as mistake:
        _is_said_in_words(mistake)
        return
    assert result.tests
    for entry in result.not_carried:
        assert entry.place
        assert str(entry).isprintable()
    assert to_yaml(result).encode()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_damaged())
def test_a_damaged_file_is_imported_in_part_or_refused_in_words(damaged: tuple[str, str]) -> None:
    _loads(*damaged)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(FORMATS), _JUNK)
def test_junk_is_refused_in_words(name: str, junk: Any) -> None:
    _loads(name, json.dumps(junk))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FORMATS), st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_refused_in_words(name: str, data: bytes) -> None:
    detect(data, "export.json")
    try:
        importers()[name].read(data, ImportOptions())
    except UserMistake as mistake:
        _is_said_in_words(mistake)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "nested"),
        ('{"a":' * 100_000, "nested"),
        ("[" * 70 + "]" * 70, "nested"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e999}', "too large a number"),
        ('{"a": ' + "9" * 5000 + "}", "thousands of digits"),
        ('{"a": 1, "a": 2}', "given twice"),
        ("", "empty"),
        ("{", "line 1, column 2: this is not JSON"),
        ("a: &x [1, 2]\nb: &y [*x, *x, *x, *x, *x, *x, *x, *x, *x]\n" * 1, "no test"),
    ],
)
@pytest.mark.parametrize("name", ["elevenlabs", "vapi", "dialogflow", "promptfoo", "livekit", "chat"])
def test_what_no_export_looks_like_is_refused_in_words(name: str, text: str, said: str) -> None:
    with pytest.raises(UserMistake) as refused:
        read_as(name, text)

    json_only = name in ("elevenlabs", "dialogflow", "chat")
    assert said in str(refused.value) or (json_only and "not JSON" in str(refused.value))


def test_yaml_that_unfolds_without_end_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    with pytest.raises(UserMistake, match="fewer aliases"):
        read_as("livekit", "\n".join(lines))


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(UserMistake, match="larger than 16 MiB"):
        read_as("chat", " " * (16 * 1024 * 1024 + 1))


def test_a_character_that_cannot_be_said_is_replaced_and_listed() -> None:
    result = read_as("chat", '{"messages": [{"role": "user", "content": "Hi \\ud83d there"}]}')

    assert result.tests[0].caller.history
    assert result.tests[0].caller.history[0].text == "Hi \ufffd there"
    assert any(entry.what == "a character" for entry in result.not_carried)
