"""The loop: turn 0, then a caller line and the agent's side of the turn, until an end."""

from __future__ import annotations

from greenroom.model.agent import Agent
from greenroom.model.case import Caller
from greenroom.model.errors import OutOfTime, RunError
from greenroom.model.llm import Llm
from greenroom.model.run import AgentLine, CallerLine
from greenroom.play.agent_side import AgentSide
from greenroom.play.caller_side import CallerSide, PersonaSide, ScriptSide, speak
from greenroom.play.ends import End
from greenroom.play.farewell import is_farewell
from greenroom.play.seat import EARLIER_LEFT_OUT
from greenroom.play.stage import Stage


async def play_talk(stage: Stage) -> End:
    """Play the talk up to its end.

    Raises:
        RunError: the talk could not be finished.
        Stopped: the run was asked to stop.
    """
    try:
        return await _play(stage)
    except OutOfTime:
        seconds = stage.plan.limits.chat_seconds
        if not _has_answered(stage):
            # Nothing was tested: whatever holds of no words at all must not pass for a success.
            raise RunError(f"The agent had not answered after {seconds:g} seconds.") from None
        if stage.plan.limits.time_out_is_error:
            raise RunError(f"The talk was not over after {seconds:g} seconds.") from None
        return End("time_ran_out", f"the talk stopped after {seconds:g} seconds")


def _has_answered(stage: Stage) -> bool:
    """Whether the agent has done anything by itself: said more than its greeting, or called a tool."""
    return any(
        line.role == "tool" or (isinstance(line, AgentLine) and not line.from_history and line.latency_ms is not None)
        for line in stage.recorder.run.transcript
    )


async def _play(stage: Stage) -> End:
    agent = stage.plan.agent
    refuse_realtime(agent)
    side = AgentSide(stage, agent)
    caller = stage.plan.test.caller
    if caller.history is not None:
        return await _reply_to_history(stage, side, caller)
    await stage.recorder.start_turn(0)
    end = await side.greet()
    if end is not None:
        return end
    other: CallerSide = PersonaSide(stage, caller_llm(stage)) if caller.persona is not None else ScriptSide(stage)
    turns = stage.plan.test.max_turns if caller.persona is not None else len(caller.messages or ())
    for turn in range(1, turns + 1):
        stage.turn = turn
        await stage.recorder.start_turn(turn)
        words = await other.next()
        if isinstance(words, End):
            return words
        await speak(stage, words)
        end = await side.answer()
        if end is not None:
            return end
        if words.last:
            return End("caller_hung_up")
        if is_farewell(words.text) and is_farewell(stage.last_reply):
            return End("caller_hung_up", "both sides had said goodbye")
    return End("turns_ran_out") if caller.persona is not None else End("script_ended")


def refuse_realtime(agent: Agent) -> None:
    """Make sure that an agent can be talked to in text.

    Raises:
        RunError: it is a realtime agent.
    """
    if agent.pipeline_mode == "realtime":
        raise RunError(
            f"The agent {agent.name} is a realtime agent: it has no text step, so it cannot be tested in text."
        )


async def _reply_to_history(stage: Stage, side: AgentSide, caller: Caller) -> End:
    """Lay down the talk so far as it is, and ask the brain for one reply. What is older than the agent's context window
    is in the transcript alone."""
    agent = stage.plan.agent
    seat = await stage.seat(agent)
    history = caller.history or []
    unheard = max(len(history) - 1 - agent.context_window, 0)
    if unheard and history[unheard].role == "agent" and agent.remote is None:
        seat.hear(EARLIER_LEFT_OUT)
    for number, past in enumerate(history):
        heard = number >= unheard
        if past.role == "caller":
            stage.turn += 1
            await stage.recorder.add(CallerLine(turn=stage.turn, text=past.text, from_history=True))
            if heard:
                seat.hear(past.text)
            stage.say(past.text, None)
        else:
            line = AgentLine(turn=stage.turn, agent=agent.name, text=past.text, from_history=True)
            await stage.recorder.add(line)
            if heard:
                seat.said(past.text)
            stage.say(past.text, agent.name)
    seat.heard_upto = len(stage.spoken)
    await stage.recorder.start_turn(stage.turn)
    return await side.answer() or End("replied")


def caller_llm(stage: Stage) -> Llm:
    """The model that plays the caller.

    Raises:
        RunError: none of them is set.
    """
    plan = stage.plan
    llm = plan.caller_model
    if llm is None:
        raise RunError(f"No model plays the caller: set `llm` or `caller_llm` of the agent {plan.agent.name}.")
    return llm
