"""The prompts and providers of a promptfoo configuration: what is told to the model, and which model it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from greenroom.importers.drafts import read_llm
from greenroom.importers.source import Fields, Notes, Path, kind_of
from greenroom.importers.templates import is_a_file, note_templates
from greenroom.model.base import Json
from greenroom.model.llm import Llm

_FILE_ENDINGS = (".txt", ".json", ".yaml", ".yml", ".md", ".js", ".ts", ".mjs", ".cjs", ".py", ".csv", ".j2")
_IN_A_FILE = "it stands in a file of its own, which is not read: paste it into the agent's `prompt`"
_PROVIDERS = (
    (re.compile(r"openai:(?:chat:|responses:)?([^:]+(?::ft-.*)?)"), "openai"),
    (re.compile(r"anthropic:(?:messages:)?([^:]+)"), "anthropic"),
    (re.compile(r"google:([^:]+)"), "google"),
    (re.compile(r"ollama:(?:chat:|completion:)?(.+)"), "ollama"),
    (re.compile(r"groq:([^:]+)"), "groq"),
    (re.compile(r"mistral:([^:]+)"), "mistral"),
)
_NO_MODELS = frozenset(
    {"embedding", "embeddings", "image", "moderation", "realtime", "assistant", "transcription", "tts"}
)
_SETTINGS = {"temperature": "temperature", "max_tokens": "max_tokens", "maxTokens": "max_tokens"}


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt. `lines` are the messages of the caller's and the agent's in it; a prompt that is one text is a
    message of the caller's. `instructions` is the prompt as it is told to an agent that talks with a simulated user."""

    path: Path
    label: str | None = None
    instructions: str | None = None
    system: str | None = None
    lines: tuple[tuple[str, str], ...] = ()
    is_file: bool = False
    is_text: bool = False


def read_prompts(fields: Fields) -> list[Prompt]:
    """The prompts; one that is not known where there are none."""
    found = [
        prompt
        for path, item in fields.items("prompts")
        if (prompt := _read_prompt(item, path, fields.notes)) is not None
    ]
    return found or [Prompt(("prompts",), is_file=True)]


def _read_prompt(item: Json, path: Path, notes: Notes) -> Prompt | None:
    label: str | None = None
    text: str | None = item if isinstance(item, str) else None
    if isinstance(item, dict):
        prompt = Fields(item, path, notes)
        label, raw, identity = prompt.text("label"), prompt.text("raw"), prompt.text("id")
        text = raw or identity
        prompt.drop("config", "how a prompt is sent is said in the agent's `llm`")
    if text is None:
        notes.add(path, "this prompt", f"it is {kind_of(item)}, and no text")
        return None
    if is_a_file(text) or (text == text.strip() and "\n" not in text and text.endswith(_FILE_ENDINGS)):
        notes.add(path, "this prompt", _IN_A_FILE)
        return Prompt(path, label, is_file=True)
    return _from_text(text, path, label, notes)


def _from_text(text: str, path: Path, label: str | None, notes: Notes) -> Prompt:
    note_templates(text, notes, path)
    messages = _messages(text)
    if messages is None:
        return Prompt(path, label, instructions=text, lines=(("caller", text),), is_text=True)
    system = "\n\n".join(content for role, content in messages if role in ("system", "developer"))
    roles = {"user": "caller", "assistant": "agent"}
    lines = tuple((roles[role], content) for role, content in messages if role in roles)
    if len(lines) + sum(role in ("system", "developer") for role, _ in messages) < len(messages):
        notes.add(path, "messages of other roles", "a talk is between a caller and an agent")
    return Prompt(path, label, instructions=system or text, system=system or None, lines=lines)


def _messages(text: str) -> list[tuple[str, str]] | None:
    """The messages of a prompt that is a chat in JSON."""
    if not text.lstrip().startswith("["):
        return None
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or not value:
        return None
    found: list[tuple[str, str]] = []
    for item in value:
        content = item.get("content") if isinstance(item, dict) else None
        role = item.get("role") if isinstance(item, dict) else None
        if not isinstance(content, str) or not isinstance(role, str):
            return None
        found.append((role, content))
    return found


# Providers


@dataclass(slots=True)
class Providers:
    """The first model that Greenroom can ask, and the tools that its provider is given."""

    llm: Llm | None = None
    path: Path = ()
    tools: list[Fields] = field(default_factory=list[Fields])


def read_providers(fields: Fields) -> Providers:
    """Read `providers` (or `targets`)."""
    found = Providers()
    listed = [*fields.items("providers"), *fields.items("targets")]
    for index, (path, item) in enumerate(listed):
        for identity, config in _entries(item, path, fields.notes):
            if index and found.llm is not None:
                fields.notes.add(path, "a further provider", "an agent has one model: write the others as variants")
                continue
            _read_provider(identity, config, path, fields.notes, found)
    return found


def _entries(item: Json, path: Path, notes: Notes) -> Iterator[tuple[str, Fields | None]]:
    """The id of a provider and what it is set to, in any of the forms in which it may be written."""
    if isinstance(item, str):
        yield item, None
    elif isinstance(item, dict) and isinstance(item.get("id"), str):
        provider = Fields(item, path, notes)
        identity = provider.text("id") or ""
        provider.drop("label", "a model is called by its name")
        yield identity, provider.child("config")
    elif isinstance(item, dict) and len(item) == 1:
        provider = Fields(item, path, notes)
        identity = next(provider.names())
        inner = provider.child(identity)
        yield identity, inner.child("config") if inner is not None else None
    else:
        notes.add(path, "this provider", "its id is not known")


def _read_provider(identity: str, config: Fields | None, path: Path, notes: Notes, found: Providers) -> None:
    model = _model_of(identity)
    if model is None:
        notes.add(path, "this provider", "Greenroom knows no model by its id: name one in the agent's `llm`")
    settings: dict[str, object] = {"model": model}
    if config is not None:
        for name, ours in _SETTINGS.items():
            if name in config.untaken():
                settings[ours] = config.take(name)
        _read_tools(config, found)
        for name in list(config.untaken()):
            config.drop(name, "how the provider is asked is said in the agent's `llm`")
    if model is not None:
        found.llm, found.path = read_llm(settings, path, notes), path


def _model_of(identity: str) -> str | None:
    for pattern, provider in _PROVIDERS:
        match = pattern.fullmatch(identity)
        if match is not None and match[1].split(":")[0] not in _NO_MODELS:
            return f"{provider}:{match[1]}"
    return None


def _read_tools(config: Fields, found: Providers) -> None:
    for path, item in config.items("tools"):
        if isinstance(item, str):
            config.notes.add(path, "these tools", "they stand in a file of their own, which is not read")
            continue
        if not isinstance(item, dict):
            config.notes.add(path, "this tool", f"it is {kind_of(item)}, where an object is expected")
            continue
        tool = Fields(item, path, config.notes)
        tool.take("type")
        described = tool.child("function")
        if described is None:
            # Anthropic's form has the name beside its schema.
            schema = tool.take("input_schema")
            described = Fields(
                {"name": tool.take("name"), "description": tool.take("description"), "parameters": schema},
                path,
                config.notes,
            )
        described.drop("strict", "arguments are always checked against the schema")
        found.tools.append(described)
