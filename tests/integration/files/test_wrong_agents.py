"""Agents with mistakes, and files that they name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.wrong_files import AGENT, TEST, mistakes_in

WRONG = [
    pytest.param(
        AGENT + TEST + ("    tools: plan\n    checks: [{type: calls_tool, tool: book_slot}]\n"),
        [("6:14: in a dry run (`tools: plan`) no tool runs: add `expect_planned: true` to count what was planned")],
        id="dry run without planned",
    ),
    pytest.param(
        AGENT + TEST + ("    agent: Dask\n"),
        [("5:12: there is no agent `Dask`; did you mean `Desk`?")],
        id="unknown agent of a test",
    ),
    pytest.param(
        AGENT + TEST + ("  - name: Books\n    caller: {persona: Ana}\n"),
        [("5:11: two tests are named `Books` (first in line 3): rename one")],
        id="two tests of one name",
    ),
    pytest.param(
        TEST, [("1:1: there is no agent: add `agent:` with the agent, or with the path of its file")], id="no agent"
    ),
    pytest.param(
        AGENT
        + ("agents: [{name: B, prompt: B.}]\ntests:\n  - name: Books\n    caller: {persona: Ravi wants a visit.}\n"),
        [("2:1: a file has either `agent` or `agents`: take one out")],
        id="agent and agents",
    ),
    pytest.param(
        ("agents: 3\n") + TEST,
        [("1:9: `agents` is a list of agents, or a mapping from names to agents")],
        id="agents that are text",
    ),
    pytest.param(("agent: desk.yaml\n") + TEST, [("1:8: there is no file `desk.yaml`")], id="missing agent file"),
    pytest.param(
        ("agent: {name: Desk, prompt: prompts/desk.md}\n") + TEST,
        [("1:29: there is no file `prompts/desk.md`")],
        id="missing prompt file",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., llm: {model: scripted:x, script: rules.yaml}}\n") + TEST,
        [("1:69: there is no file `rules.yaml`")],
        id="missing script file",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., knowledge: {documents: [hours.md]}}\n") + TEST,
        [("1:60: there is no file `hours.md`")],
        id="missing document",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., knowledge: {documents: [{file: case.yaml, text: a}]}}\n") + TEST,
        [("1:61: a document has either `text` or `file`: take one out")],
        id="document with file and text",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: ''}\n") + TEST,
        [("1:21: an agent needs a `prompt`: write what it should do (or say where it lives with `remote`)")],
        id="empty prompt",
    ),
    pytest.param(
        ("agent: 12\n") + TEST,
        [("1:8: an agent is a mapping with `name` and `prompt`, or a path to one")],
        id="agent that is a number",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., llm: {model: gpt-4}}\n") + TEST,
        [("1:49: a model is written as `provider:name`, for example `openai:gpt-4.1-mini`, not `gpt-4`")],
        id="model without provider",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., llm: openai:gpt-4.1-mini}\n") + TEST,
        [
            (
                "1:41: `llm` is a mapping, not `openai:gpt-4.1-mini`: write its fields below it, such as "
                "`model`, `temperature`, `max_tokens`, `base_url`"
            )
        ],
        id="model that is text",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., llm: {model: openai:x, temperature: 3}}\n") + TEST,
        [("1:72: `temperature` is at most 2, not `3`")],
        id="temperature",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., llm: {model: scripted:x}}\n") + TEST,
        [("1:41: a scripted brain needs `script`: a list of rules such as `{when: hello, say: Hi}`")],
        id="scripted without script",
    ),
    pytest.param(
        ("agent:\n  name: Desk\n  prompt: Book.\n  llm:\n    model: scripted:x\n    script:\n      - {when: hi}\n")
        + TEST,
        [("7:9: a rule needs `say`, `call` or `hang_up`")],
        id="rule with nothing to do",
    ),
    pytest.param(
        (
            "agent:\n"
            "  name: Desk\n"
            "  prompt: Book.\n"
            "  llm:\n"
            "    model: scripted:x\n"
            "    script:\n"
            "      - {when: {tol: x}, say: Hi}\n"
        )
        + TEST,
        [("7:17: unknown field `tol`; did you mean `tool`?")],
        id="rule with a wrong condition",
    ),
    pytest.param(
        (
            "agent:\n"
            "  name: Desk\n"
            "  prompt: Book.\n"
            "  llm:\n"
            "    model: scripted:x\n"
            "    script:\n"
            "      - {when: [a], say: Hi}\n"
        )
        + TEST,
        [("7:16: `when` is text or a mapping (`name: value`), not a list")],
        id="rule with a list as condition",
    ),
    pytest.param(
        (
            "agent:\n"
            "  name: Desk\n"
            "  prompt: Book.\n"
            "  llm:\n"
            "    model: scripted:x\n"
            "    script:\n"
            "      - {when: '[', say: Hi}\n"
        )
        + TEST,
        [("7:16: `[` is not a pattern in RE2 syntax: missing ]: [")],
        id="rule with a bad pattern",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., tools: [{name: book slot}]}\n") + TEST,
        [
            (
                "1:51: `book slot` cannot be a name here: a tool's name has letters, digits, `_` and `-` "
                "only, up to 64, and starts with a letter or `_`"
            )
        ],
        id="tool name",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., tools: [{name: end_call}]}\n") + TEST,
        [("1:51: `end_call` is a tool of the engine's own: give yours another name")],
        id="engine's tool name",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., tools: [{name: a}, {name: a}]}\n") + TEST,
        [("1:62: two tools are named `a`: rename one")],
        id="two tools of one name",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., tools: [{name: a, parameters: {type: array}}]}\n") + TEST,
        [
            (
                "1:66: `parameters` describes an object: write `{type: object, properties: {…}}` with an "
                "argument a property"
            )
        ],
        id="parameters that are no object",
    ),
    pytest.param(
        (
            "agent: {name: Desk, prompt: Book., tools: [{name: a, parameters: {type: object, "
            "properties: {day: {type: text}}}}]}\n"
        )
        + TEST,
        [
            (
                "1:106: this is not a JSON Schema: a type is one of `string`, `number`, `integer`, "
                "`boolean`, `array`, `object`, `null`"
            )
        ],
        id="parameters that are no schema",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., tools: [{name: a, http: {url: 'https://x', method: post}}]}\n") + TEST,
        [("1:87: `method` is one of `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, not `post`; did you mean `POST`?")],
        id="method",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., tool_webhook: {url: example.com}}\n") + TEST,
        [("1:56: `url` is a web address: start it with `https://` (or `http://`)")],
        id="webhook address",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., mcp_servers: [{name: crm, url: 'https://x', command: y}]}\n") + TEST,
        [("1:62: an MCP server needs either `url` or `command`")],
        id="server reached two ways",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., components: [links]}\n") + TEST,
        [
            (
                "1:49: each of `components` is one of `link`, `booking`, `contact`, "
                "`suggested_questions`, not `links`; did you mean `link`?"
            )
        ],
        id="component",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., pipeline_mode: realtime}\n") + TEST,
        [("3:5: `Desk` is a realtime agent, which has no text step: test it in `pipeline_mode: cascade`")],
        id="realtime",
    ),
    pytest.param(
        "agent: {name: Desk, remote: {type: htp, url: 'https://x'}}\n" + TEST,
        ["1:36: unknown remote type `htp`; did you mean `http`?"],
        id="remote type",
    ),
    pytest.param(
        "agent: {name: Desk, remote: {type: http, url: 'https://x', repli: a}}\n" + TEST,
        ["1:60: unknown field `repli`; did you mean `reply`?"],
        id="field of a remote agent",
    ),
    pytest.param(
        "agent: {name: Desk, remote: {type: websocket, url: 'https://x'}}\n" + TEST,
        ["1:52: `url` starts with `wss://` or `ws://`: write it like `wss://agent.example.com/talk`"],
        id="address of a remote agent",
    ),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_an_agent_that_is_wrong_is_told_at_its_place(text: str, told: list[str], tmp_path: Path) -> None:
    assert mistakes_in(text, tmp_path) == told
