"""The published JSON Schema: it is the models', takes what the loader takes and refuses what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from pydantic import BaseModel
from tests.support.wrong_files import AGENT, TEST, mistakes_in

from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import plain
from greenroom.files.schema import file_schema, schema_text
from greenroom.files.yaml_reader import read_yaml
from greenroom.model.base import Json, Written

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "schema" / "greenroom.schema.json"
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
VALIDATOR = jsonschema_rs.validator_for(file_schema())


def data_of(text: str) -> Json:
    ledger = Ledger()
    node = read_yaml(text, Path("case.yaml"), ledger)
    ledger.raise_any()
    assert node is not None
    return plain(node)


def test_the_published_schema_is_that_of_the_models() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text(), "run `make schema`"


def test_the_schema_is_one() -> None:
    jsonschema_rs.meta.validate(json.loads(PUBLISHED.read_text(encoding="utf-8")))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_every_example_fits_the_schema_and_points_editors_to_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=../schema/greenroom.schema.json\n")
    VALIDATOR.validate(data_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "agent: desk.yaml\n",
        "agents: [desk.yaml, {name: B, prompt: b.md}]\n" + TEST,
        "agents: {desk: desk.yaml, Billing: {prompt: Bill.}}\n" + TEST,
        "x-anything: [1, {a: b}]\n" + AGENT,
        "agent: {name: D, prompt: p.md, tools: tools.yaml, llm: {model: scripted:x, script: rules.yaml}}\n",
        "agent: {name: D, prompt: p, knowledge: {documents: [a.md, {file: b.md}, {name: c, text: d}]}}\n",
        "agent: {name: D, prompt: p, greeting: null, variables: {a: 1, b: true, c: 1.5, d: x}}\n",
        "agent: {name: D, prompt: p, tool_webhook: {url: 'https://x', secret: '${S}'}}\n",
        "agent: {name: D, remote: {type: http, url: 'https://x'}}\n",
        AGENT + "tests: [{name: A, caller: {messages: [Hi, {text: And then?, when: sure}]}}]\n",
        AGENT + TEST + "    checks: [{type: ended_by, any_of: replied}, {type: ended_by, any_of: [replied]}]\n",
        AGENT + TEST + "    tool_mocks: [{tool: book_slot, result: null}, {tool: book_slot, timeout: true}]\n",
        AGENT + TEST + "credentials: {main: {api_key: '${KEY}', base_url: 'https://${HOST}'}}\n",
        AGENT + TEST + "variants: {real: {llm: {model: openai:a}, greeting: null, agents: {Desk: {prompt: x.md}}}}\n",
    ],
)
def test_what_the_loader_takes_fits_the_schema(text: str) -> None:
    VALIDATOR.validate(data_of(text))


@pytest.mark.parametrize(
    "text",
    [
        TEST,
        AGENT + "agents: [{name: B, prompt: B.}]\n" + TEST,
        AGENT + TEST + "credential: {}\n",
        "agent: {name: Desk}\n" + TEST,
        "agent: {name: Desk, prompt: Book., promt: x}\n" + TEST,
        AGENT + TEST + "    tool_result: {book_slot: 1}\n",
        AGENT + TEST + "    max_turns: '6'\n",
        AGENT + TEST + "    max_turns: 0\n",
        AGENT + TEST + "    use_real_tools: yes\n",
        AGENT + TEST + "    checks: [{text: Monday}]\n",
        AGENT + TEST + "    checks: [{type: sayz, text: Monday}]\n",
        AGENT + TEST + "    checks: [{type: says}]\n",
        AGENT + TEST + "    checks: [{type: says, text: Monday, where: lst}]\n",
        AGENT + TEST + "    checks: [says Monday]\n",
        AGENT + "tests: [{name: A, caller: {}}]\n",
        AGENT + "tests: [{name: A, caller: {persona: a, messages: [b]}}]\n",
        AGENT + TEST + "    tool_mocks: [{tool: book_slot, result: 1, error: no}]\n",
        AGENT + TEST + "variants: {real: {lm: {model: openai:x}}}\n",
        AGENT + TEST + "variants: {real: {name: Other}}\n",
        AGENT + TEST + "credentials: {main: {base_url: 'https://x'}}\n",
        "agent: {name: Desk, prompt: Book., llm: {model: gpt-4}}\n" + TEST,
        "agent: {name: Desk, prompt: Book., llm: {model: scripted:x}}\n" + TEST,
        "agent: {name: Desk, prompt: Book., llm: {model: openai:x, script: [{say: Hi}]}}\n" + TEST,
        "agent: {name: Desk, prompt: Book., mcp_servers: [{name: crm}]}\n" + TEST,
        "agent: {name: Desk, prompt: Book., tools: [{name: book slot}]}\n" + TEST,
        "agent: {name: Desk, prompt: Book., components: [links]}\n" + TEST,
        "agent: {name: Desk, remote: {target: 'a:b'}}\n" + TEST,
        "agent: {name: Desk, remote: {type: python, url: 'https://x'}}\n" + TEST,
    ],
)
def test_what_the_loader_refuses_does_not_fit_the_schema(text: str, tmp_path: Path) -> None:
    assert not VALIDATOR.is_valid(data_of(text))
    assert mistakes_in(text, tmp_path)


def test_every_field_is_described_for_editors() -> None:
    silent = [
        f"{name}.{field}"
        for name, part in file_schema()["$defs"].items()
        for field, schema in part.get("properties", {}).items()
        if not schema.get("description")
        and "const" not in schema
        and name != "AgentChange"  # there, the description stands beside what else the field may be
    ]
    assert silent == []


def test_notes_are_of_fields_that_there_are() -> None:
    from greenroom.files.schema_notes import NOTES

    models = {model.__name__: model for model in _models(Written)}
    assert [
        f"{name}.{field}" for name, notes in NOTES.items() for field in notes if field not in models[name].model_fields
    ] == []


def _models(base: type[BaseModel]) -> list[type[BaseModel]]:
    return [model for child in base.__subclasses__() for model in (child, *_models(child))]
