"""Many tests at once against a provider that turns half of the requests away."""

from __future__ import annotations

from collections import Counter

from tests.support.model_server import Answer, Heard, ModelServer, RefusingFirst, Status
from tests.support.program import Greenroom

TESTS = 30


def _answer(heard: Heard) -> Answer:
    return Answer(text=f"You said: {heard.last.text}")


def test_thirty_tests_ten_at_once_all_finish_and_none_twice_when_half_of_the_requests_are_turned_away(
    greenroom: Greenroom,
) -> None:
    tests = "".join(
        f"  - name: T{n}\n    caller: {{messages: [Line {n} a, Line {n} b]}}\n"
        f"    checks: [{{type: says, text: Line {n} b}}]\n"
        for n in range(TESTS)
    )
    greenroom.write(
        "greenroom.yaml",
        "agent:\n  name: Echo\n  prompt: You repeat what you hear.\n  greeting: Hello.\n"
        f"  llm: {{model: openai:gpt-4.1-mini}}\ntests:\n{tests}",
    )
    with ModelServer.in_thread(RefusingFirst(Status(429, retry_after="0"), _answer)) as server:
        environ = {"OPENAI_API_KEY": "sk-any", "OPENAI_BASE_URL": server.openai_url}
        played = greenroom.run("run", "--concurrency", "10", "--json", environ=environ)
        sent = Counter(heard.raw for heard in server.requests)
    runs = played.json["runs"]
    assert (played.code, Counter(run["test"] for run in runs)) == (0, {f"T{n}": 1 for n in range(TESTS)})
    assert {run["status"] for run in runs} == {"passed"}
    # Each request was turned away once and answered once.
    assert (len(sent), set(sent.values())) == (2 * TESTS, {2})
    usage = [entry for run in runs for entry in run["usage"]]
    assert sum(entry["calls"] for entry in usage) == 2 * TESTS
    assert sum(entry["input_tokens"] for entry in usage) == 2 * TESTS * 100
