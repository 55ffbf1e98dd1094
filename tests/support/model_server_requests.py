"""Short ways to write the requests that tests send to the loopback model server."""

from __future__ import annotations

from tests.support.model_server_types import Wire

from greenroom.model.llm import Llm
from greenroom.model.talk import AnswerShape, BrainRequest, JudgeTask, Message, ToolOffer, UserSaid

MODELS: dict[Wire, str] = {
    "openai": "openai:gpt-4.1-mini",
    "anthropic": "anthropic:claude-haiku-4-5",
    "google": "google:gemini-2.5-flash",
}
LABELS: dict[Wire, str] = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google"}
KEYS = {
    "OPENAI_API_KEY": "sk-proj-OpenAISecret0123456789",
    "ANTHROPIC_API_KEY": "sk-ant-AnthropicSecret0123456789",
    "GOOGLE_API_KEY": "AIzaGoogleSecret0123456789",
}
BOOK = ToolOffer(
    "book_slot",
    "Books a visit",
    {"type": "object", "properties": {"day": {"type": "string"}, "time": {"type": "string"}}, "required": ["day"]},
)
VERDICT = AnswerShape(
    "verdict",
    {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "enum": ["yes", "no"]},
            "reason": {"type": "string"},
            "quote": {"type": "string"},
        },
        "required": ["answer", "reason", "quote"],
        "additionalProperties": False,
    },
)


def talk_request(
    model: str | Llm, *messages: Message, system: str = "You book visits.", tools: bool = True
) -> BrainRequest:
    """An agent's request, by default for the reply to a first line."""
    return BrainRequest(
        role="agent",
        llm=model if isinstance(model, Llm) else Llm(model=model),
        system=system,
        messages=messages or (UserSaid("I need a visit."),),
        tools=(BOOK,) if tools else (),
    )


def verdict_request(model: str | Llm) -> BrainRequest:
    """A judge's request for a verdict."""
    return BrainRequest(
        role="judge",
        llm=model if isinstance(model, Llm) else Llm(model=model),
        system="You judge talks.",
        messages=(UserSaid("Was the agent polite?"),),
        answer=VERDICT,
        task=JudgeTask("question", ("Was the agent polite?",)),
    )
