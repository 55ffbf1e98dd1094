"""Rules that hold for every talk, whatever the models do."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.talks import FunctionBrain, Played, make_agent, make_test, play, real_llm

from greenroom.model.agent import Agent
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.events import LineAdded, RunFinished, RunStarted, UsageChanged
from greenroom.model.marker import HANG_UP
from greenroom.model.talk import BrainReply, BrainRequest, ModelSaid, ToolAnswered, ToolCall, Usage, UserSaid

TOOLS = ["look_up", "end_call", "transfer_call", "hand_off_to_agent", "reschedule_call", "show_link", "remember", "fly"]
ARGUMENTS = [
    "{}",
    "",
    "nonsense",
    '{"agent": "Other"}',
    '{"when": "now"}',
    '{"key": "a", "value": "b"}',
    '{"title": "t", "url": "u"}',
]

calls = st.builds(
    lambda name, arguments, id: ToolCall(id, name, arguments),
    st.sampled_from(TOOLS),
    st.sampled_from(ARGUMENTS),
    st.sampled_from(["", "a", "b"]),
)
texts = st.sampled_from(
    ["", " ", "Monday at ten.", "Goodbye!", f"Fine. {HANG_UP}", HANG_UP, "How can I help you?", "नमस्ते", "x" * 5000]
)
replies = st.builds(
    lambda text, called, finish: BrainReply(text, tuple(called), Usage(3, 2), finish, 5),
    texts,
    st.lists(calls, max_size=3),
    st.sampled_from(["stop", "stop", "stop", "cut", "refused"]),
)
steps = st.one_of(replies, replies, replies, st.just("fail"))


def agents(fallback: bool) -> dict[str, Agent]:
    fields: dict[str, Any] = {
        "llm": real_llm(),
        "tools": [{"name": "look_up", "pre_call_message": "One moment."}],
        "can_end_call": True,
        "can_transfer": {"to": "+15550100"},
        "can_reschedule": True,
        "components": ["link"],
        "memory_tools": True,
    }
    if fallback:
        fields["llm_fallback"] = real_llm("backup")
    one = make_agent(name="One", can_hand_off=["Other"], **fields)
    other = make_agent(name="Other", can_hand_off=["One"], **fields)
    return {"One": one, "Other": other}


def run_one(
    script: list[Any], kind: str, stop_after: int | None, fallback: bool, mode: str
) -> tuple[Played, FunctionBrain]:
    asked = 0

    def answer(request: BrainRequest) -> BrainReply:
        nonlocal asked
        step = script[asked % len(script)]
        asked += 1
        if step == "fail":
            raise BrainFailed("It is down.", fault=BrainFault.UNAVAILABLE)
        return BrainReply(step.text, (), step.usage) if request.role == "caller" else step

    async def stop() -> bool:
        return stop_after is not None and asked >= stop_after

    brain = FunctionBrain(answer)
    caller: dict[str, Any] = {
        "persona": {"persona": "Ravi."},
        "script": {"messages": ["One.", "Two.", "Three."]},
        "history": {"history": [{"role": "caller", "text": "Hi."}]},
    }[kind]
    cast = agents(fallback)
    test = make_test(caller=caller, max_turns=4, tools=mode)
    return asyncio.run(play(cast["One"], test, brain=brain, others=cast, stop=stop)), brain


@settings(max_examples=300, deadline=None)
@given(
    st.lists(steps, min_size=1, max_size=12),
    st.sampled_from(["persona", "script", "history"]),
    st.one_of(st.none(), st.integers(0, 8)),
    st.booleans(),
    st.sampled_from(["canned", "real", "plan"]),
)
def test_every_talk_keeps_the_rules(
    script: list[Any], kind: str, stop_after: int | None, fallback: bool, mode: str
) -> None:
    played, brain = run_one(script, kind, stop_after, fallback, mode)
    run = played.run
    # A run always ends, and its status and its end agree.
    assert run.is_over
    assert run.ended_by is not None
    assert (run.status == "error") == (run.ended_by == "error") == (run.error is not None)
    assert (run.status == "cancelled") == (run.ended_by == "stopped")
    # Turns only go forward, and the marker never shows.
    turns = [line.turn for line in run.transcript]
    assert turns == sorted(turns)
    assert HANG_UP not in str([text for role, text in played.said if role == "caller"])
    assert len([text for _, text in played.said if len(text) > 4000]) == 0
    # What was asked is what was counted.
    failed = sum(1 for n in range(len(brain.requests)) if script[n % len(script)] == "fail")
    assert sum(entry.calls for entry in run.usage) == len(brain.requests) - failed
    assert run.tokens() == (3 * (len(brain.requests) - failed), 2 * (len(brain.requests) - failed))
    if stop_after is not None:
        assert len(brain.requests) <= stop_after
    # Whoever follows the events sees the same run.
    seen: dict[int, Any] = {}
    for event in played.events:
        if isinstance(event, LineAdded):
            seen[event.index] = event.line
    assert [seen[index] for index in sorted(seen)] == run.transcript
    assert isinstance(played.events[0], RunStarted)
    assert isinstance(played.events[-1], RunFinished)
    assert sum(isinstance(event, UsageChanged) for event in played.events) == sum(e.calls for e in run.usage)
    # What is left open is closed, once.
    assert played.tools.closed == ["run_1"]


@settings(max_examples=200, deadline=None)
@given(st.lists(replies, min_size=1, max_size=10), st.sampled_from(["script", "persona"]))
def test_every_request_is_one_that_any_provider_takes(script: list[BrainReply], kind: str) -> None:
    _, brain = run_one(script, kind, None, False, "canned")
    for request in brain.requests:
        assert isinstance(request.messages[0], UserSaid)
        assert not isinstance(request.messages[-1], ModelSaid)
        open_calls: list[str] = []
        ids = [call.id for message in request.messages if isinstance(message, ModelSaid) for call in message.calls]
        assert len(set(ids)) == len(ids)
        previous: Any = None
        for message in request.messages:
            if isinstance(message, ToolAnswered):
                assert message.call_id == open_calls.pop(0)
            else:
                assert open_calls == [], "every call is answered before anything else is said"
                assert not (isinstance(message, UserSaid) and isinstance(previous, UserSaid))
            if isinstance(message, ModelSaid):
                assert message.text or message.calls
                open_calls = [call.id for call in message.calls]
            previous = message
        assert open_calls == []
