"""What may be written of an agent that lives elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from tests.support.talks import make_test

from greenroom.model.agent import Agent
from greenroom.model.limits import Limits
from greenroom.model.remote import RemoteHttp, RemoteOpenAi, RemotePython, RemoteWebSocket
from greenroom.model.rules import check_test

URL = "https://agent.example.com/chat"


@pytest.mark.parametrize(
    ("remote", "words"),
    [
        ({"type": "http", "url": "agent.example.com"}, "`url` starts with `https://` or `http://`: write it like"),
        ({"type": "openai", "url": "ftp://x"}, "write it like `https://agent.example.com/v1`"),
        ({"type": "websocket", "url": URL}, "`url` starts with `wss://` or `ws://`"),
        ({"type": "http", "url": "https://"}, "`url` names no host"),
        ({"type": "http", "url": "https://["}, "`url` is not an address"),
        ({"type": "http", "url": "https://a:b@c.example"}, "holds a user or a password"),
        ({"type": "http", "url": "https://{{variables.host}}/x"}, "the host of `url` is fixed"),
        ({"type": "http", "url": f"{URL}/{{{{id}}}}"}, "or `{{variables.id}}` for a variable"),
        ({"type": "http", "url": URL, "body": {"x": "{{text}}"}}, "`{{text}}` is not known here"),
        ({"type": "openai", "url": URL, "extra_body": {"x": "{{text}}"}}, "`{{text}}` is not known here"),
        ({"type": "websocket", "url": "ws://a", "open": "{{text}}"}, "`{{text}}` is not known here"),
        ({"type": "websocket", "url": "ws://a", "send": ["{{text}}"]}, "`{{text}}` is not known here"),
        ({"type": "http", "url": URL, "headers": {"X-A": "{{text}}"}}, "`{{text}}` is not known here"),
        ({"type": "http", "url": URL, "headers": {"X A": "x"}}, "`X A` cannot be the name of a header"),
        ({"type": "openai", "url": URL, "session_header": "X:A"}, "`X:A` cannot be the name of a header"),
        ({"type": "http", "url": URL, "reply": ""}, "should match pattern"),
        ({"type": "http", "url": URL, "reply": "a..b"}, "should match pattern"),
        ({"type": "http", "url": URL, "timeout_seconds": 0}, "greater than 0"),
        ({"type": "python", "target": "my_agent"}, "a Python agent is written as `module:function`"),
        ({"type": "python", "target": " :f"}, "a Python agent is written as `module:function`"),
        ({"type": "grpc", "url": URL}, "does not match any of the expected tags"),
        ({"type": "http", "url": URL, "answer": "x"}, "Extra inputs are not permitted"),
    ],
)
def test_a_mistake_is_told(remote: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as error:
        Agent.model_validate({"name": "Maya", "remote": remote})
    assert words in str(error.value)


def test_an_agent_written_in_python_reads_back_from_what_was_set() -> None:
    for remote in (
        RemoteOpenAi(url=URL),
        RemoteHttp(url=URL, body={"q": "{{message}}"}),
        RemoteWebSocket(url="wss://agent.example.com"),
        RemotePython(target="my_agent:reply"),
    ):
        agent = Agent(name="Maya", remote=remote)
        assert Agent.model_validate(agent.model_dump(exclude_unset=True)).remote == remote


def test_headers_do_not_show() -> None:
    remote = RemoteHttp.model_validate({"url": URL, "headers": {"X-Key": "hush"}})
    assert "hush" not in repr(remote)
    assert "hush" not in remote.model_dump_json()


def test_a_talk_so_far_cannot_be_laid_before_an_agent_that_keeps_the_talk() -> None:
    history = [{"role": "caller", "text": "a"}, {"role": "agent", "text": "b"}, {"role": "caller", "text": "c"}]
    test = make_test(caller={"history": history})
    stateful = Agent(name="Maya", remote=RemoteHttp(url=URL))
    [problem] = check_test(test, stateful, {}, Limits())
    assert problem.path == ("caller", "history")
    assert "`Maya` keeps the talk itself" in problem.message
    assert not check_test(test, Agent(name="Maya", remote=RemoteHttp(url=URL, stateful=False)), {}, Limits())
    assert not check_test(make_test(caller={"history": history[:1]}), stateful, {}, Limits())


def test_a_remote_agent_may_run_tools_and_hang_up_as_it_likes() -> None:
    checks = [{"type": "calls_tool", "tool": "book"}, {"type": "ends_call"}]
    assert not check_test(make_test("Hi", checks=checks), Agent(name="Maya", remote=RemoteHttp(url=URL)), {}, Limits())
