"""The test, as data: who calls, what is prepared, what must hold."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from greenroom.model.agent import plain_values
from greenroom.model.base import Json, Written
from greenroom.model.checks import Check
from greenroom.model.llm import Llm

Kind = Literal["simulation", "script", "next_reply"]
ToolMode = Literal["canned", "real", "plan"]
Temperament = Literal[
    "impatient",
    "unsure",
    "off_topic",
    "hard_of_hearing",
    "mixes_languages",
    "rule_bender",
    "talkative",
    "angry",
]


class Reaction(Written):
    """A fixed answer of the caller's. `when` is a pattern (RE2, searched without regard to case) on what the agent
    said; `times` is how often it may be used, once by default."""

    when: str
    say: str
    times: Annotated[int, Field(ge=1)] = 1


class SpeechNoise(Written):
    """What speech recognition does to the caller's lines: about this share of words comes out wrong."""

    word_error_rate: Annotated[float, Field(gt=0, le=0.5)] = 0.1


class ScriptMessage(Written):
    """One fixed message. With `when`, it is sent only if the agent's last line matches that pattern."""

    text: str
    when: str | None = None


class HistoryLine(Written):
    """One line of a talk that took place before the reply under test."""

    role: Literal["caller", "agent"]
    text: str


class Caller(Written):
    """Who talks to the agent: a `persona` that a model plays, fixed `messages`, or none (`history`).

    With `persona`: `opening_line` is the first line as written, with no model asked; `facts` is the caller's only
    source for such things as dates and numbers; `reactions` are tried before the model.
    """

    persona: str | None = None
    opening_line: str | None = None
    facts: dict[str, Json] = Field(default_factory=dict[str, Json])
    reactions: list[Reaction] = Field(default_factory=list[Reaction])
    temperament: Temperament | None = None
    language: str | None = None
    messages: list[ScriptMessage] | None = None
    history: list[HistoryLine] | None = None
    speech_noise: SpeechNoise | None = None

    @field_validator("messages", mode="before")
    @classmethod
    def _read_plain_messages(cls, value: object) -> object:
        if not isinstance(value, list):
            return value
        return [{"text": item} if isinstance(item, str) else item for item in value]  # pyright: ignore[reportUnknownVariableType]

    @model_validator(mode="after")
    def _is_one_kind(self) -> Caller:
        given = [name for name in ("persona", "messages", "history") if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(f"`{name}`" for name in given) or "none of them"
            raise ValueError(f"a caller is one of `persona`, `messages` or `history`; this one has {found}")
        if self.persona is None:
            for name in ("opening_line", "facts", "reactions", "temperament"):
                if getattr(self, name):
                    raise ValueError(f"`{name}` goes with a `persona`, not with `{given[0]}`")
        elif not self.persona.strip():
            raise ValueError("the persona is empty: write who calls and what they want")
        if self.messages is not None and not self.messages:
            raise ValueError("`messages` is empty: write at least one message")
        if self.history is not None and (not self.history or self.history[-1].role != "caller"):
            raise ValueError("`history` must end with the caller, since the agent's reply to it is what is tested")
        return self

    @property
    def kind(self) -> Kind:
        if self.messages is not None:
            return "script"
        return "next_reply" if self.history is not None else "simulation"


class ToolMock(Written):
    """One prepared answer of a tool: the first whose `when` fits the arguments and whose `times` are not used up.

    Gives `result`, or `error` (the tool failed, in words), or `timeout: true`; after `delay_ms` milliseconds.
    """

    tool: str
    when: dict[str, Json] = Field(default_factory=dict[str, Json])
    times: Annotated[int, Field(ge=1)] | None = None
    result: Json = None
    error: str | None = None
    timeout: bool = False
    delay_ms: Annotated[int, Field(ge=0, le=60_000)] = 0

    @model_validator(mode="after")
    def _answers_one_way(self) -> ToolMock:
        ways = ["result" in self.model_fields_set, self.error is not None, self.timeout]
        if sum(ways) != 1:
            raise ValueError("a mock gives exactly one of `result`, `error` or `timeout: true`")
        return self


class Variation(Written):
    """Another caller for the same test: each is played as a run of its own under the same checks."""

    name: Annotated[str, Field(min_length=1)]
    persona: str | None = None
    facts: dict[str, Json] | None = None
    opening_line: str | None = None
    variables: dict[str, str] = Field(default_factory=dict[str, str])
    language: str | None = None
    temperament: Temperament | None = None

    @field_validator("variables", mode="before")
    @classmethod
    def _read_plain_values(cls, value: object) -> object:
        return plain_values(value)


class Test(Written):
    """A saved description of one talk: who calls, what is prepared, what must hold.

    `tools` is how tool calls are answered: `canned` (from `tool_mocks` and `tool_results`), `real` (also written
    `use_real_tools: true`), or `plan` (a dry run: the first reply that picks a tool ends there). With
    `use_knowledge: false`, the agent goes without its knowledge: nothing of it is in the prompt, nothing is searched.
    `caller_llm` and `judge_llm` name models for this test alone. `judges` (odd) is how many times each judged question
    is put; the majority decides.
    """

    __test__: ClassVar[bool] = False

    id: str | None = None
    name: Annotated[str, Field(min_length=1, max_length=200)]
    agent: str | None = None
    kind: Kind | None = None
    caller: Caller
    max_turns: int = Field(default=8, ge=1)
    variables: dict[str, str] = Field(default_factory=dict[str, str])
    tool_results: dict[str, Json] = Field(default_factory=dict[str, Json])
    tool_mocks: list[ToolMock] = Field(default_factory=list[ToolMock])
    tools: ToolMode = "canned"
    use_real_tools: bool = False
    use_knowledge: bool = True
    checks: list[Check] = Field(default_factory=list[Check])
    pass_score: Annotated[int, Field(ge=0, le=100)] = 70
    caller_llm: Llm | None = None
    judge_llm: Llm | None = None
    judges: Annotated[int, Field(ge=1, le=9)] = 1
    grounding: Literal["offline", "judge"] = "offline"
    reason_language: str | None = None
    variations: list[Variation] = Field(default_factory=list[Variation])
    repeat: Annotated[int, Field(ge=1, le=1000)] = 1
    tags: list[str] = Field(default_factory=list[str])

    @field_validator("variables", mode="before")
    @classmethod
    def _read_plain_values(cls, value: object) -> object:
        return plain_values(value)

    @model_validator(mode="after")
    def _is_consistent(self) -> Test:
        if self.kind is not None and self.kind != self.caller.kind:
            wanted = {"simulation": "persona", "script": "messages", "next_reply": "history"}[self.kind]
            raise ValueError(f"`kind: {self.kind}` needs a caller with `{wanted}`")
        if self.judges % 2 == 0:
            raise ValueError("`judges` must be odd, so that there is always a majority")
        if self.use_real_tools and self.tools == "plan":
            raise ValueError("`use_real_tools` and `tools: plan` exclude each other: take one out")
        if self.variations and self.caller.kind != "simulation":
            raise ValueError("`variations` change a persona: this test's caller has none")
        names = [variation.name for variation in self.variations]
        if len(set(names)) != len(names):
            raise ValueError("two variations have the same name: rename one")
        return self

    @property
    def tool_mode(self) -> ToolMode:
        return "real" if self.use_real_tools else self.tools
