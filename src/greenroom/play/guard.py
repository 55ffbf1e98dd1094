"""What a caller's line must not be, so that nobody blames the agent for a bad caller.

Pure rules on text: taking off what is not speech, finding the hang-up marker in its usual distortions, and telling
when a line is a slip of the model that plays the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

import regex

from greenroom.model.text import fold, squeeze, without_thinking, words

_FLAGS = regex.IGNORECASE | regex.UNICODE

LONGEST = 10_000
"""How much of what a model wrote as the caller is looked at; a line is cut far below that."""
_COMPARED = 1_000
_BY_LETTER = 300

# Every repetition has a bound: a model that writes thousands of stars or empty lines must not hold up the others.
# The marker is `[HANG UP]`; models write it in other brackets, in other words and with other joints.
_END_WORDS = r"(?:i\s+)?(?:hangs?|hung|hanging)[\s_\-]*up|(?:end|ends|ended|ending)[\s_\-]*(?:of[\s_\-]*)?(?:the[\s_\-]*)?call|call[\s_\-]*(?:ends|ended|over)|disconnects?|puts?[\s_\-]+(?:down[\s_\-]+)?the[\s_\-]+phone(?:[\s_\-]+down)?"  # noqa: E501
_BRACKETED_MARKER = regex.compile(
    rf"[\*_`~]{{0,4}}[\[\(<{{\*【（]{{1,4}}\s{{0,4}}/?(?:{_END_WORDS})\s{{0,4}}[.!]?\s{{0,4}}/?[\]\)>}}\*】）]{{1,4}}[\*_`~]{{0,4}}[.!]{{0,4}}",
    _FLAGS,
)
_BARE_MARKER = regex.compile(
    r"(?:^|(?<=[.!?…\n]))\s{0,8}(?:HANG[ _\-]?UP|HANGUP|END[ _\-]CALL|END_OF_CALL)\s*[.!]*\s*$"
)
_WHOLE_MARKER = regex.compile(rf"^(?:{_END_WORDS})[.!]*$", _FLAGS)
_LABEL = regex.compile(
    r"^\s*[\*_]*(?:caller|customer|user|human|me|client|patient|guest)[\*_]*\s*[:：]\s*[\*_]*\s*", _FLAGS
)
_AGENT_LABEL = regex.compile(
    r"^\s*[\*_]*(?:agent|assistant|ai|bot|receptionist|operator|system|support|representative)[\*_]*\s*[:：]", _FLAGS
)
_LATER_LABEL = regex.compile(
    r"\n[^\S\n]{0,8}[\*_]{0,4}(?:agent|assistant|receptionist|operator|caller|customer|user)[\*_]*\s*[:：]", _FLAGS
)
_STAGE_DIRECTION = regex.compile(
    r"\*[^*\n]{1,80}\*|\([^()\n]{1,80}\)|\[[^\[\]\n]{1,80}\]|（[^（）\n]{1,80}）|【[^【】\n]{1,80}】"
)
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "'": "'", "‘": "’"}
_SPEAKS_AS_AGENT = regex.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)(?: you)?"
    r"|(?:thank you|thanks) for (?:calling|contacting|reaching out)"
    r"|(?:is there )?anything else i can (?:help|assist|do)"
    r"|what can i (?:do for|help) you"
    r"|as an ai\b|i(?:'|’)?m an ai\b|i am an ai\b|as a language model"
    r"|(?:let me|i(?:'|’)ll|i will) (?:transfer|put) you (?:through|over)?"
    r"|we(?:'|’)?re here to help)",
    _FLAGS,
)
_REASONS_ALOUD = regex.compile(
    r"\b(?:the (?:caller|persona|user|character) (?:should|would|needs to|wants to|is supposed to)"
    r"|(?:i|we) (?:should|need to|must) (?:respond|reply|answer|act|play|speak|stay) (?:as|like|in|with)"
    r"|as the (?:caller|persona|customer),? i"
    r"|(?:my|the) (?:next )?(?:line|response|reply) (?:should|would|could|is:)"
    r"|in character\b|the (?:system )?prompt says|role[- ]?play)",
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A caller's line as speech. `hangs_up`: it carried the marker."""

    text: str
    hangs_up: bool


def clean(raw: str) -> Cleaned:
    """Take off thinking, the marker, labels, surrounding quotes and stage directions."""
    text = without_thinking(raw)[:LONGEST]
    text, marked = _BRACKETED_MARKER.subn(" ", text)
    text, bare = _BARE_MARKER.subn("", text)
    if _WHOLE_MARKER.match(text.strip()):
        return Cleaned("", True)
    text = _LABEL.sub("", text.strip())
    text = _STAGE_DIRECTION.sub(" ", text)
    text = _LABEL.sub("", text.strip())
    text = _unquote(squeeze(text))
    text = _LABEL.sub("", text)
    return Cleaned(text.strip(), bool(marked or bare))


def _unquote(text: str) -> str:
    while (
        len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1] and text[-1] not in text[1:-1]
    ):
        text = text[1:-1].strip()
    return text


def slip(raw: str, line: Cleaned, agent_reply: str, own_lines: list[str]) -> str:
    """Why a line is a slip of the model that plays the caller, as a hint for it; empty where it is none.

    `raw` is what the model wrote; `own_lines` are the caller's earlier lines, oldest first.
    """
    if not line.text:
        return "" if line.hangs_up else "That was only a stage direction or nothing at all. Say the caller's words."
    written = without_thinking(raw)[:LONGEST].strip()
    if _AGENT_LABEL.search(written) or _LATER_LABEL.search(written):
        return "You wrote lines for the other side. You are the caller: say only the caller's next words."
    if _SPEAKS_AS_AGENT.search(line.text):
        return "You spoke as the agent who answers the call. You are the caller: say what the caller would say."
    if _REASONS_ALOUD.search(line.text):
        return "You thought aloud. Say only the words that the caller speaks."
    if _repeats(line.text, agent_reply):
        return "You repeated what the other side said. You are the caller: answer it."
    if own_lines and _repeats(line.text, own_lines[-1]):
        return "You said the same as before. Say what the caller says next, or hang up."
    return ""


def _repeats(line: str, earlier: str) -> bool:
    """Whether a line of some length says nearly the same as an earlier one."""
    one, other = fold(line), fold(earlier)
    if not one or not other or len(words(line)) < 4:
        return False
    if one == other:
        return True
    if abs(len(one) - len(other)) > 0.2 * max(len(one), len(other)):
        return False
    if max(len(one), len(other)) <= _BY_LETTER:
        return SequenceMatcher(None, one, other, autojunk=False).ratio() >= 0.9
    # Letter by letter, a long line that says the same few words over and over would take seconds.
    ours, theirs = (words(text[:_COMPARED].casefold()) for text in (line, earlier))
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= 0.9
