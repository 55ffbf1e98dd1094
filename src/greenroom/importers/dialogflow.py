"""Dialogflow CX test cases: each becomes a script of what the user says, and the agent's recorded texts its checks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from greenroom.importers.builder import Builder
from greenroom.importers.checks import ANY_TURN, Checks, one_of, where_of
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.parsing import read_json
from greenroom.importers.source import Fields, Notes, Path, mappings
from greenroom.model.base import Json
from greenroom.model.checks import Matches, Says, Where

TITLE = "Dialogflow CX"

_FLOWS = "Greenroom's agents have no flows, pages and intents"
_PARAMETERS = "Greenroom's agents have no session parameters"
_KEPT = "it says when and how Dialogflow last ran it"
_TAG = re.compile(r"<[^<>]*>")


@dataclass(slots=True)
class _Talk:
    messages: list[str] = field(default_factory=list[str])
    expected: list[tuple[Path, int, list[str]]] = field(default_factory=list[tuple[Path, int, list[str]]])
    """The texts of one response, after how many messages it came, and where it stands."""
    variables: dict[str, str] = field(default_factory=dict[str, str])
    language: str | None = None
    agent_opens: bool = False


def recognises(root: Json) -> bool:
    """Whether data looks like test cases of Dialogflow CX."""
    return any("testCaseConversationTurns" in item or "test_case_conversation_turns" in item for item in _cases(root))


def read(data: bytes, options: ImportOptions) -> Imported:
    """Read one test case, a list of them, or an object that holds them under `testCases`.

    Raises:
        UserMistake: it is not JSON, or holds no test case.
    """
    document = read_json(data)
    builder = Builder(options, document.notes, TITLE)
    for fields in _read_cases(document.root, builder.notes):
        _read_case(fields, builder)
    return builder.finish()


def _cases(root: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(root, dict) and isinstance(root.get("testCases"), list):
        root = root["testCases"]
    for item in root if isinstance(root, list) else [root]:
        if isinstance(item, dict):
            yield item


def _read_cases(root: Json, notes: Notes) -> Iterator[Fields]:
    if isinstance(root, list):
        yield from mappings(root, notes)
    elif isinstance(root, dict):
        fields = Fields(root, (), notes)
        if "testCases" in root:
            fields.drop("nextPageToken", "it says which page of a list this is")
            yield from fields.children("testCases")
        else:
            yield fields


def _read_case(fields: Fields, builder: Builder) -> None:
    for name in ("creation_time", "last_test_result"):
        fields.drop(name, _KEPT)
    fields.drop("notes", "a test has a name alone: put what matters there")
    config = fields.child("test_config")
    if config is not None:
        config.drop("tracking_parameters", _PARAMETERS)
        for name in ("flow", "page"):
            config.drop(name, _FLOWS)
    talk = _Talk()
    for turn in fields.children("test_case_conversation_turns"):
        _read_turn(turn, talk)
    if not talk.messages:
        fields.note("this test case", "its user says nothing in words")
        return
    agent = builder.agent()
    if not agent.is_given:
        opens = talk.agent_opens or bool(agent.speaks_first)
        agent.speaks_first = opens
    builder.test(
        agent,
        fields.path,
        {
            "name": fields.text("display_name"),
            "id": fields.text("name"),
            "caller": {"messages": talk.messages, **({"language": talk.language} if talk.language else {})},
            "variables": talk.variables or None,
            "tags": [tag.removeprefix("#") for tag in fields.texts("tags") if tag.strip("#")] or None,
            "checks": _checks(talk, builder.notes),
        },
    )


def _read_turn(turn: Fields, talk: _Talk) -> None:
    asked = turn.child("user_input")
    if asked is not None:
        _read_input(asked, talk)
    output = turn.child("virtual_agent_output")
    if output is None:
        return
    output.drop("session_parameters", _PARAMETERS)
    for name in ("triggered_intent", "current_page", "current_flow"):
        output.drop(name, _FLOWS)
    for name in ("differences", "diagnostic_info", "status"):
        output.drop(name, _KEPT)
    for response in output.children("text_responses"):
        texts = [plain for text in response.texts("text") if (plain := _plain(text, response))]
        if texts:
            talk.expected.append((response.path, len(talk.messages), texts))


def _plain(text: str, response: Fields) -> str:
    """A text without the tags of SSML."""
    plain = _TAG.sub("", text).strip()
    if plain != text.strip():
        response.note("the tags of speech markup", "checks look at the words alone")
    return plain


def _read_input(asked: Fields, talk: _Talk) -> None:
    asked.drop("enable_sentiment_analysis", "the mood of the user is not measured")
    enabled = asked.flag("is_webhook_enabled")
    if enabled:
        asked.notes.add(
            asked.at("is_webhook_enabled"),
            "`isWebhookEnabled`",
            "tools are answered canned here; `tools: real` in the test calls them",
        )
    for name, value in asked.scalars("injected_parameters").items():
        if talk.variables.setdefault(name, value) != value:
            asked.notes.add(asked.at("injected_parameters"), f"`{name}`", "a variable has one value for the whole talk")
    given = asked.child("input")
    if given is None:
        return
    language = given.text("language_code")
    talk.language = talk.language or language
    if language != talk.language and language:
        given.note("the change of language", "a caller speaks one language")
    for name in ("intent", "audio", "tool_call_result"):
        given.drop(name, "a caller speaks in words")
    if (event := given.child("event")) is not None:
        _read_event(event, talk)
    digits = given.child("dtmf")
    if digits is not None:
        pressed = digits.text("digits")
        digits.drop("finish_digit", "keys are sent as the text of their digits")
        digits.note("the keys", "keys are sent as the text of their digits")
        talk.messages.extend([pressed] if pressed else [])
    said = given.child("text")
    text = said.text("text") if said is not None else None
    talk.messages.extend([text] if text else [])


def _read_event(event: Fields, talk: _Talk) -> None:
    if talk.messages or talk.agent_opens:
        event.drop("event", "a caller speaks in words, and sends no events")
    else:
        event.take("event")  # the first one lets the agent speak first
        talk.agent_opens = True


def _checks(talk: _Talk, notes: Notes) -> list[object]:
    checks = Checks(notes)
    count = len(talk.messages)
    for path, after, texts in talk.expected:
        where: Where = where_of(after - 1, count) if after else "first"
        if where == "any":
            notes.add(path, "the turn that is checked", ANY_TURN)
        if len(texts) == 1:
            checks.add(path, "this response", lambda text=texts[0], where=where: Says(text=text, where=where))
        else:
            pattern = one_of(texts, any_capitals=True)
            checks.add(
                path, "this response", lambda pattern=pattern, where=where: Matches(pattern=pattern, where=where)
            )
    return list(checks.made)
