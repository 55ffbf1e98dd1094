"""How many tokens a text is, roughly: for providers that send no usage, and for brains without a model."""

from __future__ import annotations

import math

import regex

from greenroom.model.talk import BrainReply, BrainRequest, ModelSaid, Usage, UserSaid

# Scripts whose characters are about a token each; any other letter beyond ASCII is about half a token.
_WIDE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Extended_Pictographic}]")
_MESSAGE_OVERHEAD = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is: four ASCII characters, two of other alphabets, or one of Chinese, Japanese,
    Korean or emoji make a token."""
    if text.isascii():
        return math.ceil(len(text) / 4)
    plain = len(text.encode("ascii", "ignore"))
    wide = len(_WIDE.findall(text))
    return math.ceil(plain / 4 + wide + (len(text) - plain - wide) / 2)


def estimate_usage(request: BrainRequest, reply: BrainReply) -> Usage:
    """The usage of one request, counted from its text and marked so; the cost is left at zero."""
    return Usage(input_tokens=_input_tokens(request), output_tokens=_output_tokens(reply), estimated=True)


def _input_tokens(request: BrainRequest) -> int:
    total = estimate_tokens(request.system)
    for message in request.messages:
        total += _MESSAGE_OVERHEAD
        if isinstance(message, ModelSaid):
            total += estimate_tokens(message.text)
            total += sum(estimate_tokens(call.name) + estimate_tokens(call.arguments) for call in message.calls)
        else:
            total += estimate_tokens(message.text if isinstance(message, UserSaid) else message.content)
    for tool in request.tools:
        total += estimate_tokens(tool.name) + estimate_tokens(tool.description) + estimate_tokens(str(tool.parameters))
    return total


def _output_tokens(reply: BrainReply) -> int:
    calls = sum(estimate_tokens(call.name) + estimate_tokens(call.arguments) for call in reply.calls)
    return estimate_tokens(reply.text) + calls
