"""Asking a model for tests, and keeping those that are sound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import ValidationError

from greenroom.drafting.from_talk import free_name
from greenroom.drafting.prompts import (
    SYSTEM,
    answer_schema,
    describe_agent,
    show_lines,
    show_run,
    wanted,
    wanted_plain,
)
from greenroom.drafting.reading import DraftKind, as_plain_test, as_test
from greenroom.model.agent import Agent
from greenroom.model.case import HistoryLine, Test
from greenroom.model.errors import RunError
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.loose_json import ContradictoryJson, as_list, as_object, objects_with
from greenroom.model.rules import check_test
from greenroom.model.run import Run
from greenroom.model.talk import AnswerShape, Brain, BrainReply, BrainRequest, Message, ModelSaid, Usage, UserSaid

MOST_AT_ONCE = 20
ROOM, ROOM_A_TEST = 1000, 700
"""The fewest tokens that an answer gets: these, and so many more for each test."""


@dataclass(frozen=True, slots=True)
class DraftOptions:
    """What to draft: `count` tests (1 to 20) of these kinds, about `focus`, written in `language`. `known` are the
    names of tests that there are already: others are asked for, and none of these names is given again. `plain` tests
    have a persona or a talk so far and one criterion, and nothing else; of theirs, `language` is that of names and
    criteria alone. All tests keep to `limits`."""

    count: int = 5
    kinds: tuple[DraftKind, ...] = ("simulation",)
    focus: str | None = None
    language: str | None = None
    known: tuple[str, ...] = ()
    plain: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Answered:
    """The author has answered: how many sound tests there are so far, what was wrong with the others of this answer,
    what the request used, and whether it is asked once more."""

    tests: int
    problems: tuple[str, ...]
    usage: Usage
    asks_again: bool


Tell: TypeAlias = Callable[[Answered], None]


def tell_nobody(_answered: Answered) -> None:
    """For those who do not follow the drafting."""


@dataclass(frozen=True, slots=True)
class Drafts:
    """The tests that came of it, what was dropped and why, and what each request used."""

    tests: tuple[Test, ...]
    dropped: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = field(default_factory=tuple[Usage, ...])


class NoAuthor(Exception):
    """No model can draft tests; the message says why, without a full stop."""


def author_llm(agent: Agent, model: str | None) -> Llm:
    """The model that drafts tests for an agent: `model` (`provider:name`), else the agent's judge, else its brain.

    `model` keeps address, account and script of the agent's own where the provider is the same.

    Raises:
        NoAuthor: the agent has no model, or `model` is none.
    """
    own = agent.judge_llm or agent.llm
    if model is None:
        if own is None:
            raise NoAuthor(f"the agent {agent.name} has no model that could draft tests")
        return own
    provider = model.partition(":")[0]
    same = next((llm for llm in (agent.judge_llm, agent.llm) if llm is not None and llm.provider == provider), None)
    kept = {"base_url": same.base_url, "credential": same.credential, "script": same.script} if same else {}
    try:
        return Llm.model_validate({"model": model, **kept})
    except ValidationError as problem:
        raise NoAuthor(str(problem.errors()[0]["msg"]).removeprefix("Value error, ")) from None


async def draft_from_prompt(
    agent: Agent,
    brain: Brain,
    llm: Llm,
    options: DraftOptions,
    others: Mapping[str, Agent] | None = None,
    tell: Tell = tell_nobody,
) -> Drafts:
    """Draft tests from the agent's own instructions.

    Raises:
        BrainFailed: the model could not answer.
        RunError: it answered twice with nothing that is a test.
    """
    ask = f"{describe_agent(agent)}\n\n{_wanted(options)}"
    return await _draft(agent, others or {}, brain, llm, options, ask, options.focus or agent.prompt, tell)


async def draft_from_call(
    agent: Agent,
    lines: Sequence[HistoryLine],
    brain: Brain,
    llm: Llm,
    options: DraftOptions,
    others: Mapping[str, Agent] | None = None,
    tell: Tell = tell_nobody,
) -> Drafts:
    """Draft tests from a real call: the same caller again, with what they wanted, knew and how they behaved.

    Raises:
        BrainFailed: the model could not answer.
        RunError: it answered twice with nothing that is a test.
    """
    ask = (
        f"{describe_agent(agent)}\n\n<call>\n{show_lines(lines)}\n</call>\n\nThe call above is a real one. Write tests "
        "in which the same caller calls again: take persona, facts and opening line from what they said, and "
        "change names, numbers and addresses of real people into made-up ones. The criteria say what the agent should "
        "have done by its instructions, whether or not it did.\n\n"
        f"{_wanted(options)}"
    )
    return await _draft(agent, others or {}, brain, llm, options, ask, show_lines(lines), tell)


async def draft_from_failure(
    agent: Agent,
    run: Run,
    brain: Brain,
    llm: Llm,
    options: DraftOptions,
    others: Mapping[str, Agent] | None = None,
    tell: Tell = tell_nobody,
) -> Drafts:
    """Draft tests that pin down why a run failed: the same weakness from other sides.

    Raises:
        BrainFailed: the model could not answer.
        RunError: it answered twice with nothing that is a test.
    """
    ask = (
        f"{describe_agent(agent)}\n\n{show_run(run)}\n\nThe run above failed for what stands in <broken>. Write tests "
        "that would catch the same weakness again: the same moment, with other callers and other words, and one in "
        "which the agent must not overcorrect.\n\n"
        f"{_wanted(options)}"
    )
    return await _draft(agent, others or {}, brain, llm, options, ask, show_run(run), tell)


def _wanted(options: DraftOptions) -> str:
    ways = wanted_plain if options.plain else wanted
    return ways(options.count, options.kinds, options.focus, options.language, options.known)


async def _draft(
    agent: Agent,
    others: Mapping[str, Agent],
    brain: Brain,
    llm: Llm,
    options: DraftOptions,
    ask: str,
    heard: str,
    tell: Tell,
) -> Drafts:
    if not 1 <= options.count <= MOST_AT_ONCE:
        raise RunError(f"Between 1 and {MOST_AT_ONCE} tests can be drafted at once; {options.count} were asked for.")
    messages: list[Message] = [UserSaid(ask)]
    tests: list[Test] = []
    dropped: list[str] = []
    usage: list[Usage] = []
    llm = _with_room(llm, options.count)
    answer = AnswerShape("tests", answer_schema(options.kinds, plain=options.plain))
    for attempt in range(2):
        reply = await _request(brain, llm, tuple(messages), heard, answer)
        usage.append(reply.usage)
        found, problems = _read(reply.text, agent, others, options)
        if reply.finish == "cut":
            problems.append("the answer was cut off at the model's token limit")
        drafted = {test.name for test in tests}
        _add([test for test in found if test.name not in drafted], tests, options.known)
        dropped = problems
        is_enough = bool(tests) and (len(tests) >= options.count or not problems)
        asks_again = attempt == 0 and not is_enough
        tell(Answered(min(len(tests), options.count), tuple(problems), reply.usage, asks_again))
        if not asks_again:
            break
        # Once more, with what was wrong: a model that slipped once usually mends it.
        messages += [ModelSaid(reply.text or "(nothing)"), UserSaid(_again(problems, options.count - len(tests)))]
    if not tests:
        why = f": {dropped[0]}" if dropped else ""
        raise RunError(f"{llm.model} drafted no usable test{why}. Try again, or name another model.")
    return Drafts(tuple(tests[: options.count]), tuple(dropped), tuple(usage))


def _with_room(llm: Llm, count: int) -> Llm:
    """The model with enough tokens to write the tests, however short the agent's own replies are kept."""
    if llm.max_tokens is None:
        return llm
    return llm.model_copy(update={"max_tokens": max(llm.max_tokens, ROOM + count * ROOM_A_TEST)})


def _add(found: Sequence[Test], tests: list[Test], known: Sequence[str]) -> None:
    """Add tests, each under a name that no other has."""
    for test in found:
        name = free_name(test.name, {*known, *(other.name for other in tests)})
        tests.append(test if name == test.name else test.model_copy(update={"name": name}))


async def _request(
    brain: Brain, llm: Llm, messages: tuple[Message, ...], heard: str, answer: AnswerShape
) -> BrainReply:
    return await brain.reply(
        BrainRequest(
            role="author",
            llm=llm,
            system=SYSTEM,
            messages=messages,
            answer=answer,
            heard=heard,
            scope="drafting",
        )
    )


def _again(problems: Sequence[str], missing: int) -> str:
    wrong = "\n".join(f"- {problem}" for problem in problems) or "- there was no JSON object with `tests` in it"
    return f"This could not be used:\n{wrong}\n\nWrite {max(missing, 1)} more, without these mistakes, as JSON."


def _read(text: str, agent: Agent, others: Mapping[str, Agent], options: DraftOptions) -> tuple[list[Test], list[str]]:
    """The sound tests of an answer, and what is wrong with the others."""
    try:
        holder = next(iter(objects_with(text, "tests")), None)
    except ContradictoryJson as problem:
        return [], [str(problem)]
    entries = as_list(holder["tests"]) if holder else []
    if not entries:
        return [], ["there was no JSON object with `tests` in it"]
    tests: list[Test] = []
    problems: list[str] = []
    for number, entry in enumerate(entries, start=1):
        fields = as_object(entry)
        test, problem = (None, f"test {number} is no JSON object")
        if fields is not None:
            test, problem = _sound(fields, number, agent, others, options)
        if test is not None:
            tests.append(test)
        else:
            problems.append(problem)
    return tests, problems


def _sound(
    fields: dict[str, object], number: int, agent: Agent, others: Mapping[str, Agent], options: DraftOptions
) -> tuple[Test | None, str]:
    name = str(fields.get("name") or f"test {number}")
    try:
        test = Test.model_validate(_shaped(fields, options))
    except (ValidationError, ValueError, TypeError) as problem:
        first = problem.errors()[0] if isinstance(problem, ValidationError) else None
        place = ".".join(str(step) for step in first["loc"]) if first else ""
        message = str(first["msg"]).removeprefix("Value error, ") if first else str(problem)
        return None, f"{name}: {f'{place}: ' if place else ''}{message}"
    wrong = check_test(test, agent, others, options.limits)
    if wrong:
        return None, f"{name}: {wrong[0].message}"
    return test, ""


def _shaped(fields: dict[str, object], options: DraftOptions) -> dict[str, object]:
    kinds: dict[object, DraftKind] = {kind: kind for kind in options.kinds}
    kind = kinds.get(str(fields.get("kind")), options.kinds[0])
    return as_plain_test(fields, kind) if options.plain else as_test(fields, kind)
