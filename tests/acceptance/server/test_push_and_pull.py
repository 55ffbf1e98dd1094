"""Files go to a server and come back, as a person would send them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.support.program import Ended, Greenroom
from tests.support.serving import Served, served

FILE = """\
agents:
  - name: Front desk
    prompt: You book visits for {{company}}.
    greeting: Hello.
    variables: {company: Northline}
    llm: {model: "scripted:desk", script: [{say: Monday is free.}, {role: caller, say: A visit please., hang_up: true}]}
    tools:
      - name: ticket
        description: Write a ticket
        http: {url: "https://example.com/t", headers: {Authorization: "Bearer ${TICKET_KEY}"}}
    can_hand_off: [Billing]
  - name: Billing
    prompt: You answer about bills.
    llm: {model: "scripted:bills", script: [{say: Paid.}]}
tests:
  - name: Books a visit
    caller: {messages: [A visit please.]}
    tool_results: {ticket: {ok: true, note: null}}
    checks: [{type: says, text: Monday}]
  - name: Asks about a bill
    agent: Billing
    caller: {messages: [What do I owe?]}
    checks: [{type: says, text: Paid}]
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with served(tmp_path_factory.mktemp("service")) as opened:
        yield opened


@pytest.fixture
def program(tmp_path: Path, service: Served) -> Greenroom:
    program = Greenroom(tmp_path / "home", tmp_path / "work")
    program.environ |= {"GREENROOM_SERVER": service.url, "GREENROOM_KEY": service.key, "TICKET_KEY": "t0p-s3cret"}
    return program


def changes(pushed: Ended) -> list[str]:
    assert pushed.code == 0, pushed.everything
    return [each["change"] for each in (*pushed.json["agents"], *pushed.json["tests"])]


def test_a_file_is_pushed_once_however_often_it_is_pushed(program: Greenroom) -> None:
    program.write("desk.yaml", FILE)
    first = program.run("push", "desk.yaml", "--json")
    assert changes(first) == ["created"] * 4
    again = program.run("push", "desk.yaml", "--json")
    assert changes(again) == ["unchanged"] * 4
    ids = lambda pushed: [each["id"] for each in (*pushed.json["agents"], *pushed.json["tests"])]  # noqa: E731
    assert ids(again) == ids(first)
    program.write(
        "desk.yaml", FILE.replace("greeting: Hello.", "greeting: Good day.").replace("What do I", "What did I")
    )
    third = program.run("push", "desk.yaml", "--json")
    assert changes(third) == ["updated", "unchanged", "unchanged", "updated"]
    assert third.json["agents"][0]["version"] == 2
    assert "t0p-s3cret" not in first.everything + again.everything + third.everything


def test_what_was_pulled_is_what_was_pushed(program: Greenroom) -> None:
    program.write("desk.yaml", FILE)
    assert program.run("push", "desk.yaml").code == 0
    pulled = program.run("pull", "Front desk", "--out", "back/desk.yaml")
    assert pulled.code == 0, pulled.everything
    text = (program.folder / "back/desk.yaml").read_text(encoding="utf-8")
    assert "t0p-s3cret" not in text
    assert "${TOOLS_TICKET_HTTP_HEADERS_AUTHORIZATION}" in text
    assert "TOOLS_TICKET_HTTP_HEADERS_AUTHORIZATION" in pulled.err
    program.environ["TOOLS_TICKET_HTTP_HEADERS_AUTHORIZATION"] = "Bearer t0p-s3cret"
    again = program.run("push", "back/desk.yaml", "--json")
    assert changes(again) == ["unchanged"] * 3
    ran = program.run("run", "back/desk.yaml")
    assert ran.code == 0, ran.everything


@pytest.mark.parametrize(
    ("settings", "words", "told"),
    [
        ({"GREENROOM_SERVER": ""}, ("push", "desk.yaml"), "Add --server URL"),
        ({"GREENROOM_KEY": ""}, ("push", "desk.yaml"), "Add --key KEY"),
        ({"GREENROOM_KEY": "grk_wr0ng"}, ("push", "desk.yaml"), "This key is unknown"),
        ({"GREENROOM_SERVER": "http://127.0.0.1:1"}, ("push", "desk.yaml"), "cannot be reached"),
        ({"GREENROOM_SERVER": "ftp://example.com"}, ("push", "desk.yaml"), "an address looks like"),
        ({"TICKET_KEY": ""}, ("push", "desk.yaml"), "`TICKET_KEY` is not set"),
        ({}, ("pull", "Nobody"), "no agent named `Nobody`"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    program: Greenroom, settings: dict[str, Any], words: tuple[str, ...], told: str
) -> None:
    program.write("desk.yaml", FILE)
    program.environ |= settings
    ended = program.run(*words)
    assert ended.code == 2, ended.everything
    assert told in ended.err
    assert "grk_wr0ng" not in ended.everything
