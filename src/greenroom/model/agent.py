"""The agent, as data: the same shape in files, over the API and in the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from greenroom.model.base import Json, Written
from greenroom.model.llm import Llm
from greenroom.model.remote import Remote

ENGINE_TOOLS = frozenset({"end_call", "transfer_call", "hand_off_to_agent", "reschedule_call"})
KNOWLEDGE_TOOL = "search_knowledge_base"
COMPONENT_TOOLS = {
    "link": "show_link",
    "booking": "show_booking",
    "contact": "show_contact",
    "suggested_questions": "suggest_questions",
}
MEMORY_TOOLS = frozenset({"remember", "recall", "save_record"})
RESERVED_TOOLS = ENGINE_TOOLS | MEMORY_TOOLS | {KNOWLEDGE_TOOL} | frozenset(COMPONENT_TOOLS.values())

Component = Literal["link", "booking", "contact", "suggested_questions"]
ToolName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]


class HttpCall(Written):
    """An HTTP tool's own request. `{name}` and `{{name}}` in URL, headers and body stand for arguments and
    variables; without `body`, the arguments go as JSON (or as the query of a GET or DELETE)."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    url: str
    headers: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    body: Json = None


class Tool(Written):
    """Something the agent can do: an action answered by the agent's webhook, or, with `http`, a request of its own.

    `parameters` is a JSON Schema of the arguments. `pre_call_message` is said before the tool runs.
    """

    name: ToolName
    description: str = ""
    parameters: dict[str, Json] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    pre_call_message: str | None = None
    http: HttpCall | None = None
    enabled: bool = True


class ToolWebhook(Written):
    """Where the agent's actions are sent, and the secret that signs them (Standard Webhooks, `whsec_…`)."""

    url: str | None = None
    secret: SecretStr | None = None


class McpTool(Written):
    """A tool of an MCP server as the agent's owner wrote it down, so that a run need not ask the server for it."""

    name: str
    description: str = ""
    parameters: dict[str, Json] = Field(default_factory=lambda: {"type": "object", "properties": {}})


class McpServer(Written):
    """An MCP server: streamable HTTP (`url`), or a program on this machine (`command`).

    The agent sees its tools as `NAME__TOOL`. `tools`, where given, stands for asking the server which it has.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")]
    url: str | None = None
    headers: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    command: str | None = None
    args: list[str] = Field(default_factory=list[str])
    env: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    tools: list[McpTool] | None = None

    @model_validator(mode="after")
    def _is_reached_one_way(self) -> McpServer:
        if (self.url is None) == (self.command is None):
            raise ValueError("an MCP server needs either `url` or `command`")
        return self


class Document(Written):
    """One document of a knowledge base."""

    name: str
    text: str


class Knowledge(Written):
    """What the agent knows. At most `inline_limit` characters in all go whole into the prompt; more is searched."""

    documents: list[Document] = Field(default_factory=list[Document])
    inline_limit: Annotated[int, Field(ge=0)] = 8000

    @property
    def size(self) -> int:
        """Characters of all documents."""
        return sum(len(document.text) for document in self.documents)

    @property
    def is_inline(self) -> bool:
        return bool(self.documents) and self.size <= self.inline_limit


class Transfer(Written):
    """Where the agent may transfer a call."""

    to: str
    label: str | None = None


class Agent(Written):
    """An agent: Greenroom plays it with its real prompt, model, knowledge and tools, or reaches it elsewhere.

    `variables` are defaults for `{{name}}` in prompt and greeting. `voice_rules` adds a short paragraph that asks
    for speech, not writing. `can_hand_off` lists the agents (names or ids) that a talk may move to. `speaks_first`
    is whether the agent opens the talk; by default it does, unless it is a chat agent (`channels`) or a remote one
    without a greeting. With `remote`, the agent lives elsewhere: a `prompt` is then passed on to it. `context_window`
    is how many lines of the talk before the words that it answers it is given, the newest ones. `channels` is where a
    chat agent answers, and `connected_channels` which channels there really are for it, where that is known.
    """

    id: str | None = None
    name: Annotated[str, Field(min_length=1, max_length=200)]
    enabled: bool = True
    pipeline_mode: Literal["cascade", "realtime"] = "cascade"
    language: str | None = None
    prompt: str = ""
    remote: Remote | None = None
    greeting: str | None = None
    speaks_first: bool | None = None
    variables: dict[str, str] = Field(default_factory=dict[str, str])
    voice_rules: bool = True
    llm: Llm | None = None
    llm_fallback: Llm | None = None
    caller_llm: Llm | None = None
    judge_llm: Llm | None = None
    tools: list[Tool] = Field(default_factory=list[Tool])
    tool_webhook: ToolWebhook | None = None
    mcp_servers: list[McpServer] = Field(default_factory=list[McpServer])
    knowledge: Knowledge | None = None
    components: list[Component] = Field(default_factory=list[Component])
    can_end_call: bool = False
    can_transfer: Transfer | None = None
    can_hand_off: list[str] = Field(default_factory=list[str])
    can_reschedule: bool = False
    memory_tools: bool = False
    channels: list[str] = Field(default_factory=list[str])
    connected_channels: list[str] | None = None
    context_window: Annotated[int, Field(ge=0, le=1000)] = 200

    @field_validator("variables", mode="before")
    @classmethod
    def _read_plain_values(cls, value: object) -> object:
        return plain_values(value)

    @model_validator(mode="after")
    def _can_answer(self) -> Agent:
        if self.remote is None and not self.prompt.strip():
            raise ValueError("an agent needs a `prompt`: write what it should do (or say where it lives with `remote`)")
        return self

    @model_validator(mode="after")
    def _names_are_its_own(self) -> Agent:
        seen: set[str] = set()
        for tool in self.tools:
            if tool.name in RESERVED_TOOLS:
                raise ValueError(f"`{tool.name}` is a tool of the engine's own: give yours another name")
            if tool.name in seen:
                raise ValueError(f"two tools are named `{tool.name}`: rename one")
            seen.add(tool.name)
        servers = [server.name for server in self.mcp_servers]
        for name in servers:
            if servers.count(name) > 1:
                raise ValueError(f"two MCP servers are named `{name}`: rename one")
        return self

    @property
    def speaks(self) -> bool:
        """Whether it is heard, not read: a chat agent is one whose channels are all written ones."""
        return not self.channels or any(_is_spoken(channel) for channel in self.channels)

    @property
    def is_cut_off(self) -> bool:
        """Whether it is known that none of the channels on which it answers is there."""
        if self.connected_channels is None:
            return False
        return not {_channel(each) for each in self.channels or ("voice",)} & {
            _channel(each) for each in self.connected_channels
        }

    @property
    def opens_the_talk(self) -> bool:
        if self.speaks_first is not None:
            return self.speaks_first
        return self.greeting is not None or not (self.channels or self.remote)


def find_agent(key: str, agents: Mapping[str, Agent]) -> Agent | None:
    """The agent that goes by `key`: as it is listed, by id, or by name without regard to case and outer space."""
    if key in agents:
        return agents[key]
    folded = key.strip().casefold()
    return next((one for one in agents.values() if one.id == key or one.name.strip().casefold() == folded), None)


def _is_spoken(channel: str) -> bool:
    return channel.strip().casefold() in ("voice", "phone", "call")


def _channel(name: str) -> str:
    return "voice" if _is_spoken(name) else name.strip().casefold()


def plain_values(value: object) -> object:
    """Turn the numbers and booleans that YAML makes of `{year: 2026}` into the text a template inserts."""
    if not isinstance(value, dict):
        return value
    return {
        key: str(item).lower() if isinstance(item, bool) else str(item) if isinstance(item, int | float) else item
        for key, item in value.items()  # pyright: ignore[reportUnknownVariableType] - checked by the field's type
    }
