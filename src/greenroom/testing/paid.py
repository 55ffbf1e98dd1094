"""Whether playing a test may cost money."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator

from greenroom.files.suite import Case
from greenroom.model.checks import needs_judge
from greenroom.model.llm import Llm
from greenroom.model.remote import RemotePython

_FREE = frozenset({"scripted", "ollama"})
_HERE = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - an address to compare with


def may_cost(case: Case, usual_llm: str | None = None) -> bool:
    """Whether a test asks a model or an agent that may cost money: any that is neither scripted nor on this machine.

    `usual_llm` plays caller and judge where the agent names no model for them.
    """
    return any(_is_paid(llm) for llm in _asked(case)) or _is_far(case) or _usual_is_paid(case, usual_llm)


def _asked(case: Case) -> Iterator[Llm]:
    speakers = [case.agent, *(case.others.values() if case.agent.can_hand_off else ())]
    for agent in speakers:
        if agent.remote is None:
            yield from (llm for llm in (agent.llm, agent.llm_fallback) if llm is not None)
    for needed, own in ((_has_persona(case), case.caller_llm), (_needs_judge(case), case.judge_llm)):
        llm = own or case.agent.llm
        if needed and llm is not None:
            yield llm


def _usual_is_paid(case: Case, usual_llm: str | None) -> bool:
    if usual_llm is None or usual_llm.partition(":")[0] in _FREE:
        return False
    agent = case.agent
    if agent.llm is not None:
        return False
    return (_has_persona(case) and not case.caller_llm) or (_needs_judge(case) and not case.judge_llm)


def _has_persona(case: Case) -> bool:
    return case.test.caller.persona is not None


def _needs_judge(case: Case) -> bool:
    return any(needs_judge(check) for check in case.test.checks) or case.test.grounding == "judge"


def _is_paid(llm: Llm) -> bool:
    return llm.provider not in _FREE and not (llm.base_url and _is_here(llm.base_url))


def _is_far(case: Case) -> bool:
    remote = case.agent.remote
    return remote is not None and not isinstance(remote, RemotePython) and not _is_here(remote.url)


def _is_here(url: str) -> bool:
    return urllib.parse.urlsplit(url).hostname in _HERE
