"""Secrets in files: where they may stand, and when they are needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.written_files import load, the_case, write
from tests.support.wrong_files import TEST

from greenroom.files import FileMistakes

SECRETS = """
agent:
  name: Desk
  prompt: Pay ${NOT_A_VARIABLE} and {{company}}.
  llm: {model: "openai:a", credential: main}
  tool_webhook: {url: "https://example.com", secret: "${HOOK}"}
  mcp_servers:
    - name: crm
      url: https://example.com/mcp
      headers: {Authorization: "Bearer ${CRM}"}
      tools: [{name: lookup}]
tests:
  - {name: Books, caller: {persona: Ravi}}
credentials:
  main: {api_key: "${KEY}", base_url: "https://${HOST}/v1"}
  spare: {api_key: "${SPARE}"}
variants:
  free: {llm: {model: "scripted:x", script: [{say: Hi}]}}
"""
ENVIRON = {"KEY": "sk-hush", "HOST": "api.example.com", "HOOK": "whsec_hush", "CRM": "crm-hush"}


def test_variables_of_the_environment_are_filled_into_secrets_alone(tmp_path: Path) -> None:
    case = the_case(write(tmp_path, greenroom=SECRETS), ENVIRON)
    assert case.credentials["main"].api_key.get_secret_value() == "sk-hush"
    assert case.credentials["main"].base_url == "https://api.example.com/v1"
    assert case.agent.tool_webhook is not None
    assert case.agent.tool_webhook.secret is not None
    assert case.agent.tool_webhook.secret.get_secret_value() == "whsec_hush"
    assert case.agent.mcp_servers[0].headers["Authorization"].get_secret_value() == "Bearer crm-hush"
    assert case.agent.prompt == "Pay ${NOT_A_VARIABLE} and {{company}}."
    assert "hush" not in repr(case)


def test_a_variable_that_is_not_set_is_a_mistake_only_where_it_is_used(tmp_path: Path) -> None:
    suite = load(write(tmp_path, greenroom=SECRETS), {**ENVIRON, "KEY": ""})
    with pytest.raises(FileMistakes) as caught:
        suite.require_secrets()
    assert str(caught.value) == (
        f"{tmp_path}/greenroom.yaml:15:19: the environment variable `KEY` is not set: set it, or take this out"
    )
    assert list(suite.cases[0].credentials) == []
    suite.with_variant("free").require_secrets()


def test_secrets_of_tools_are_needed_where_tools_are_real(tmp_path: Path) -> None:
    environ = {"KEY": "k", "HOST": "h"}
    load(write(tmp_path, greenroom=SECRETS), environ).require_secrets()
    real = SECRETS.replace("persona: Ravi}", "persona: Ravi}, use_real_tools: true")
    with pytest.raises(FileMistakes, match=r"(?s)`HOOK` is not set.*`CRM` is not set"):
        load(write(tmp_path, greenroom=real), environ).require_secrets()


def test_a_server_that_must_be_asked_for_its_tools_needs_its_secrets(tmp_path: Path) -> None:
    asked = SECRETS.replace("      tools: [{name: lookup}]\n", "")
    suite = load(write(tmp_path, greenroom=asked), {"KEY": "k", "HOST": "h"})
    with pytest.raises(FileMistakes, match="`CRM` is not set"):
        suite.require_secrets()
    assert suite.cases[0].agent.mcp_servers[0].headers == {}


def test_the_account_of_a_remote_agent_is_needed_too(tmp_path: Path) -> None:
    text = (
        "agent:\n  name: Desk\n  remote:\n    type: openai\n    url: https://example.com/v1\n    credential: main\n"
        '    headers: {X-Key: "${X_KEY}"}\ncredentials: {main: {api_key: "${KEY}"}}\n' + TEST
    )
    with pytest.raises(FileMistakes, match=r"(?s)`X_KEY` is not set.*`KEY` is not set"):
        load(write(tmp_path, greenroom=text)).require_secrets()


HTTP_SECRET = """
agent:
  name: Desk
  prompt: Hi.
  llm: {model: "scripted:x", script: [{say: Hi}]}
  tools:
    - {name: ping, http: {url: "https://example.com/ping", headers: {X-Key: "${PING}"}}}
tests:
  - {name: Books, caller: {messages: [Hi]}, tools: TOOLS}
"""


def test_an_http_tool_holds_secrets_that_are_needed_where_tools_are_real(tmp_path: Path) -> None:
    real, canned = HTTP_SECRET.replace("TOOLS", "real"), HTTP_SECRET.replace("TOOLS", "canned")
    case = the_case(write(tmp_path, greenroom=real), {"PING": "ping-hush"})
    assert case.agent.tools[0].http is not None
    assert case.agent.tools[0].http.headers["X-Key"].get_secret_value() == "ping-hush"
    assert "hush" not in repr(case)
    assert [unset.variable for unset in the_case(write(tmp_path, greenroom=real), {}).missing_secrets()] == ["PING"]
    assert list(the_case(write(tmp_path, greenroom=canned), {}).missing_secrets()) == []


OWN_MODELS = """
agent: {name: Desk, prompt: Hi., llm: {model: "scripted:x", script: [{say: Hi}]}}
credentials: {main: {api_key: "${KEY}"}}
tests:
  - name: Books
    caller: {persona: Ravi}
    caller_llm: {model: "openai:a", credential: main}
    judge_llm: {model: "scripted:judge", script: rules.yaml}
"""


def test_a_test_may_name_models_of_its_own_with_credentials_and_scripts(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("- {role: judge, answer: 'yes'}\n", encoding="utf-8")
    case = the_case(write(tmp_path, greenroom=OWN_MODELS), {"KEY": "sk-hush"})
    assert case.test.caller_llm is not None
    assert case.test.caller_llm.credential == "main"
    assert case.test.judge_llm is not None
    assert case.test.judge_llm.script[0].answer == "yes"
    missing = the_case(write(tmp_path, greenroom=OWN_MODELS), {}).missing_secrets()
    assert [unset.variable for unset in missing] == ["KEY"]
    wrong = OWN_MODELS.replace("credential: main", "credential: mian")
    with pytest.raises(FileMistakes, match="there is no credential `mian`; did you mean `main`"):
        the_case(write(tmp_path, greenroom=wrong), {})
