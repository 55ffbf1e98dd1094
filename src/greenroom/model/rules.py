"""What no single field can tell: whether a test fits its agent, its limits and the rules of a talk.

Pure: nothing is read and nothing is asked. Every function gives all problems that it finds, in the order of the
fields, and none where all is well. Paths start at the agent or test that was checked.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, cast

from pydantic import BaseModel, SecretStr

from greenroom.model.agent import RESERVED_TOOLS, Agent, find_agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.checks import (
    CallsTool,
    Check,
    Components,
    EndsCall,
    Grounded,
    HandsOffTo,
    Matches,
    NeverMatches,
    NeverSays,
    Says,
    ToolOrder,
    needs_judge,
)
from greenroom.model.errors import Problem
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.patterns import BadPattern, check_pattern
from greenroom.model.text import fold, is_speakable

_JSON_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

Path: TypeAlias = tuple[str | int, ...]


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name among `names` that was probably meant by `word`; `None` where none is near."""
    known = list(names)
    folded = {name.casefold().replace("-", "_").replace(" ", "_"): name for name in known}
    wanted = word.casefold().replace("-", "_").replace(" ", "_")
    close = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)
    if close:
        return folded[close[0]]
    # Half of a name is a common slip too: `turns` for `max_turns`.
    parts = [name for name in known if len(wanted) >= 4 and wanted in name.casefold().split("_")]
    return parts[0] if len(parts) == 1 else None


def check_agent(agent: Agent, limits: Limits) -> tuple[Problem, ...]:
    """What is wrong with an agent by itself: its texts, tools, addresses and scripts."""
    return (
        *_unspeakable(agent),
        *_long_greeting(agent, limits),
        *_bad_parameters(agent),
        *_bad_addresses(agent),
        *_bad_models(agent),
    )


def check_hand_offs(agent: Agent, others: Mapping[str, Agent]) -> tuple[Problem, ...]:
    """Which agents that `agent` may hand to are not there. `others` are those it could reach, by name or id.

    A store may hold an agent whose target was deleted since; where all agents stand side by side, it is a mistake.
    """
    problems: list[Problem] = []
    for index, target in enumerate(agent.can_hand_off):
        path = ("can_hand_off", index)
        if target in (agent.name, agent.id):
            problems.append(Problem(path, f"`{target}` cannot hand off to itself: take it out"))
        elif find_agent(target, others) is None:
            known = sorted({other.name for other in others.values()} - {agent.name})
            problems.append(Problem(path, f"there is no agent `{target}`{_choice(target, known, 'there is')}"))
    return tuple(problems)


def check_test(test: Test, agent: Agent, others: Mapping[str, Agent], limits: Limits) -> tuple[Problem, ...]:
    """What is wrong with a test of `agent`. `others` are the agents that the talk may move to, by name or id."""
    if agent.pipeline_mode == "realtime":
        return (
            Problem(
                (), f"`{agent.name}` is a realtime agent, which has no text step: test it in `pipeline_mode: cascade`"
            ),
        )
    speakers = _reachable(agent, others)
    return (
        *_unspeakable(test),
        *_over_limits(test, limits),
        *_bad_models(test),
        *_bad_caller_patterns(test),
        *_unheard_history(test, agent),
        *_unknown_tools(test, speakers),
        *(
            problem
            for index, check in enumerate(test.checks)
            for problem in _check_problems(index, check, test, speakers)
        ),
    )


def _reachable(agent: Agent, others: Mapping[str, Agent]) -> tuple[Agent, ...]:
    """The agent and all that the talk may come to by hand-offs, each once."""
    found = [agent]
    for speaker in found:  # grows while it is walked
        for target in speaker.can_hand_off:
            other = find_agent(target, others)
            if other is not None and not any(other is known for known in found):
                found.append(other)
    return tuple(found)


# Texts


def _unspeakable(written: BaseModel) -> Iterator[Problem]:
    for path, text in _texts(written, ()):
        if not is_speakable(text):
            yield Problem(path, "this text holds a NUL or half of a character, which cannot be said: take it out")


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    match value:
        case str():
            yield path, value
        case SecretStr():
            yield path, value.get_secret_value()
        case BaseModel():
            for name in type(value).model_fields:
                yield from _texts(getattr(value, name), (*path, name))
        case dict():
            for key, item in cast("dict[object, object]", value).items():
                yield from _texts(key, (*path, str(key)))
                yield from _texts(item, (*path, str(key)))
        case list():
            for index, item in enumerate(cast("list[object]", value)):
                yield from _texts(item, (*path, index))
        case _:
            return


# The agent


def _long_greeting(agent: Agent, limits: Limits) -> Iterator[Problem]:
    if agent.greeting is not None and len(agent.greeting) > limits.reply_chars:
        yield Problem(("greeting",), f"the greeting is longer than {limits.reply_chars:,} characters: shorten it")


def _bad_parameters(agent: Agent) -> Iterator[Problem]:
    for index, tool in enumerate(agent.tools):
        yield from _bad_schema(("tools", index, "parameters"), tool.parameters)
    for index, server in enumerate(agent.mcp_servers):
        for number, tool in enumerate(server.tools or ()):
            yield from _bad_schema(("mcp_servers", index, "tools", number, "parameters"), tool.parameters)


def _bad_schema(path: Path, schema: dict[str, Json]) -> Iterator[Problem]:
    if schema.get("type") != "object":
        yield Problem(
            path,
            "`parameters` describes an object: write `{type: object, properties: {…}}` with an argument a property",
        )
        return
    import jsonschema_rs

    try:
        # Making a validator also finds what the meta-schema cannot, such as a `$ref` that leads nowhere.
        jsonschema_rs.validator_for(schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        place, said = _schema_fault(error)
        yield Problem((*path, *place), f"this is not a JSON Schema: {said}")


def _schema_fault(error: Exception) -> tuple[Path, str]:
    place = tuple(step for step in getattr(error, "instance_path", ()) if isinstance(step, str | int))
    if place and place[-1] == "type":
        return place, f"a type is one of {', '.join(f'`{name}`' for name in _JSON_TYPES)}"
    return place, str(getattr(error, "message", error)).splitlines()[0].rstrip(".")


def _bad_models(owner: Agent | Test) -> Iterator[Problem]:
    for name, llm in _llms(owner):
        yield from _bad_url((name, "base_url"), llm.base_url)
        for index, rule in enumerate(llm.script):
            if isinstance(rule.when, str):
                yield from _bad_pattern((name, "script", index, "when"), rule.when)


def _bad_addresses(agent: Agent) -> Iterator[Problem]:
    if agent.tool_webhook:
        yield from _bad_url(("tool_webhook", "url"), agent.tool_webhook.url)
    for index, server in enumerate(agent.mcp_servers):
        yield from _bad_url(("mcp_servers", index, "url"), server.url)


def _bad_url(path: Path, url: str | None) -> Iterator[Problem]:
    if url is not None and not url.lower().startswith(("http://", "https://")):
        yield Problem(path, f"`{path[-1]}` is a web address: start it with `https://` (or `http://`)")


def _llms(owner: Agent | Test) -> Iterator[tuple[str, Llm]]:
    for name in ("llm", "llm_fallback", "caller_llm", "judge_llm"):
        llm: Llm | None = getattr(owner, name, None)
        if llm is not None:
            yield name, llm


def _bad_pattern(path: Path, pattern: str) -> Iterator[Problem]:
    try:
        check_pattern(pattern)
    except BadPattern as error:
        yield Problem(path, f"`{pattern}` is not a pattern in RE2 syntax: {error}")


# The test


def _over_limits(test: Test, limits: Limits) -> Iterator[Problem]:
    caller = test.caller
    judged = sum(needs_judge(check) for check in test.checks)
    counts: list[tuple[Path, int, int, str]] = [
        (("max_turns",), test.max_turns, limits.max_turns, "turns"),
        (("checks",), len(test.checks), limits.checks, "checks"),
        (("checks",), judged, limits.judged_checks, "checks that need a judge"),
        (("caller", "messages"), len(caller.messages or ()), limits.messages, "messages"),
        (("caller", "history"), len(caller.history or ()), limits.history_lines, "lines of history"),
        (("caller", "persona"), len(caller.persona or ""), limits.persona_chars, "characters of persona"),
    ]
    for index, variation in enumerate(test.variations):
        path = ("variations", index, "persona")
        counts.append((path, len(variation.persona or ""), limits.persona_chars, "characters of persona"))
    for path, count, limit, things in counts:
        if count > limit:
            yield Problem(path, f"{count:,} {things} are more than the {limit:,} that a test may have")


def _bad_caller_patterns(test: Test) -> Iterator[Problem]:
    for index, reaction in enumerate(test.caller.reactions):
        yield from _bad_pattern(("caller", "reactions", index, "when"), reaction.when)
    for index, message in enumerate(test.caller.messages or ()):
        if message.when is not None:
            yield from _bad_pattern(("caller", "messages", index, "when"), message.when)


def _unheard_history(test: Test, agent: Agent) -> Iterator[Problem]:
    if agent.remote is None or not agent.remote.stateful or len(test.caller.history or ()) < 2:
        return
    yield Problem(
        ("caller", "history"),
        f"`{agent.name}` keeps the talk itself, so a talk that it has never heard cannot be laid before it: write "
        "`messages`, or set `remote.stateful: false` where it takes the whole talk",
    )


def _unknown_tools(test: Test, speakers: tuple[Agent, ...]) -> Iterator[Problem]:
    for name in test.tool_results:
        yield from _unknown_tool(("tool_results", name), name, speakers)
    for index, mock in enumerate(test.tool_mocks):
        yield from _unknown_tool(("tool_mocks", index, "tool"), mock.tool, speakers)


def _unknown_tool(path: Path, name: str, speakers: tuple[Agent, ...]) -> Iterator[Problem]:
    known: set[str] = set()
    for agent in speakers:
        if agent.remote is not None:
            return  # which tools a remote agent has is only known when it calls them
        known.update(tool.name for tool in agent.tools)
        for server in agent.mcp_servers:
            if server.tools is None and name.startswith(f"{server.name}__"):
                return  # which tools the server has is only known when it is asked
            known.update(f"{server.name}__{tool.name}" for tool in server.tools or ())
    if name in known | RESERVED_TOOLS:
        return
    nobody = f"`{speakers[0].name}` has no" if len(speakers) == 1 else "none of the agents of this talk has a"
    yield Problem(path, f"{nobody} tool `{name}`{_choice(name, sorted(known), 'there is')}")


def _check_problems(index: int, check: Check, test: Test, speakers: tuple[Agent, ...]) -> Iterator[Problem]:
    path: Path = ("checks", index)
    match check:
        case Says() | NeverSays():
            if not fold(check.text):
                yield Problem(
                    (*path, "text"), "`text` holds only spaces or invisible characters: write the words to look for"
                )
        case Matches() | NeverMatches():
            yield from _bad_pattern((*path, "pattern"), check.pattern)
        case CallsTool():
            yield from _calls_tool_problems(path, check, test, speakers)
        case ToolOrder():
            for number, name in enumerate(check.tools):
                yield from _unknown_tool((*path, "tools", number), name, speakers)
        case EndsCall():
            if not any(agent.can_end_call or agent.remote for agent in speakers):
                yield Problem(
                    path,
                    f"`ends_call` can never hold, since `{speakers[0].name}` cannot end a call: "
                    "set the agent's `can_end_call: true`",
                )
        case HandsOffTo():
            yield from _hands_off_problems(path, check, speakers)
        case Grounded():
            if not test.use_knowledge:
                yield Problem(path, "`grounded` needs the agent's knowledge: take `use_knowledge: false` out")
            elif not any(agent.knowledge and agent.knowledge.documents for agent in speakers):
                yield Problem(
                    path, f"`grounded` needs `knowledge`, and `{speakers[0].name}` has none: add documents to the agent"
                )
        case Components():
            yield from _component_problems(path, check, speakers)
        case _:
            return


def _calls_tool_problems(path: Path, check: CallsTool, test: Test, speakers: tuple[Agent, ...]) -> Iterator[Problem]:
    # A call that must not happen may name a tool that the agent does not have (any more).
    if check.times != 0:
        yield from _unknown_tool((*path, "tool"), check.tool, speakers)
    if test.tool_mode == "plan" and check.times != 0 and not check.expect_planned and check.tool not in RESERVED_TOOLS:
        yield Problem(
            path, "in a dry run (`tools: plan`) no tool runs: add `expect_planned: true` to count what was planned"
        )
    if check.match == "regex":
        for key, value in _patterns_of(check):
            yield from _bad_pattern((*path, "arguments", key), value)


def _patterns_of(check: CallsTool) -> Iterator[tuple[str, str]]:
    if isinstance(check.arguments, dict):
        yield from ((key, value) for key, value in check.arguments.items() if isinstance(value, str))


def _hands_off_problems(path: Path, check: HandsOffTo, speakers: tuple[Agent, ...]) -> Iterator[Problem]:
    targets = {target for agent in speakers for target in agent.can_hand_off}
    names = {name for agent in speakers[1:] for name in (agent.name, agent.id) if name}
    if check.agent in targets | names:
        return
    if not targets:
        yield Problem(
            (*path, "agent"), f"`{speakers[0].name}` hands off to nobody: list `{check.agent}` in its `can_hand_off`"
        )
    else:
        yield Problem(
            (*path, "agent"),
            f"no agent here may hand off to `{check.agent}`{_choice(check.agent, sorted(targets), 'it may be')}",
        )


def _component_problems(path: Path, check: Components, speakers: tuple[Agent, ...]) -> Iterator[Problem]:
    has = {component for agent in speakers for component in agent.components}
    missing = [card for card in check.all_of if card not in has]
    if check.any_of and not has & set(check.any_of):
        missing.extend(card for card in check.any_of if card not in missing)
    if missing:
        cards = ", ".join(f"`{card}`" for card in missing)
        yield Problem(path, f"`{speakers[0].name}` never shows {cards}: list it in the agent's `components`")


def _choice(word: str, known: list[str], lead: str) -> str:
    """What else could be written: the name that is near, or the names that there are."""
    near = nearest(word, known)
    if near:
        return f"; did you mean `{near}`?"
    return f": {lead} {', '.join(f'`{name}`' for name in known[:8])}" if known else ""
