"""Whether what the agent says is carried by the knowledge that lay before it: an offline, deterministic measure.

A reply is cut into claims. A claim is carried by a sentence of a passage that treats the same matter (shares its
content words, rare ones counting more), holds all of its figures, and does not deny what the claim affirms. What only
repeats the caller's own words or a tool's answer claims nothing of the knowledge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import regex

from greenroom.grade.claims import Claim, Content, alike, claims_of, content_of, is_question, words_of
from greenroom.grade.evidence import Evidence, evidence_of
from greenroom.grade.lines import Settled, last_reply, quoted, sentences, settled
from greenroom.grade.ports import Talk
from greenroom.model.agent import KNOWLEDGE_TOOL
from greenroom.model.base import Json
from greenroom.model.checks import Grounded
from greenroom.model.run import Grounding, Line


@dataclass(slots=True)
class _Given:
    """What the talk itself has brought up so far: the caller's statements, and what tools were asked and answered."""

    words: set[str] = field(default_factory=set[str])
    readings: set[str] = field(default_factory=set[str])

    def hear(self, line: Line) -> None:
        if line.role == "caller":
            for sentence in sentences(line.text):
                if not is_question(sentence):
                    self._add(content_of(sentence))
        elif line.role == "tool" and line.ran and line.name != KNOWLEDGE_TOOL:
            self._add(content_of(regex.sub("[_-]+", " ", line.name)))
            self._add(content_of(_text_of(line.arguments)))
            self._add(content_of(_text_of(line.result)))

    def _add(self, content: Content) -> None:
        self.words.update(content.words)
        self.readings.update(content.readings)

    def repeats(self, content: Content) -> bool:
        """Whether a claim only says again what was brought up."""
        if any(not figure & self.readings for figure in content.figures):
            return False
        new = sum(1 for word in content.words if not any(alike(word, other) for other in self.words))
        # Figures that were all brought up may come with a word of the agent's own: "booked", "birthday".
        return new <= max(len(content.figures) // 2, len(content.words) // 2) if content.figures else new == 0


def ground(talk: Talk) -> dict[int, Grounding]:
    """How each agent line of an agent with knowledge stands to its passages, by its index in the transcript.

    `none`: nothing in it needs carrying. `known`: its claims are carried by the passages. `unknown`: one is not.
    """
    if not talk.passages:
        return {}
    names = _names(talk)
    given = _Given()
    found: dict[int, Grounding] = {}
    for index, line in enumerate(talk.transcript):
        given.hear(line)
        if line.role != "agent" or line.from_history or index not in talk.passages:
            continue
        found[index] = _measure(claims_of(line.text, names), evidence_of(talk.passages[index]), given)
    return found


def ground_reply(talk: Talk) -> Grounding | None:
    """How the last reply stands as a whole; `None` where no knowledge lay before the agent for it."""
    reply = last_reply(talk)
    if reply is None:
        return None
    measured = ground(talk)
    lines: list[Grounding] = [measured[spoken.index] for spoken in reply.lines if spoken.index in measured]
    if not lines:
        return None
    return _together(lines)


def reply_passages(talk: Talk) -> tuple[str, ...]:
    """The passages that lay before the agent for its last reply, each once."""
    reply = last_reply(talk)
    lines = reply.lines if reply else ()
    return tuple(dict.fromkeys(passage for spoken in lines for passage in talk.passages.get(spoken.index, ())))


def settle_grounded(check: Grounded, talk: Talk) -> Settled | None:
    """Whether the last reply is `known`; `None` where the test asks the judge and there is something to judge."""
    reply = last_reply(talk)
    if reply is None:
        return settled(check, False, "The agent said nothing.")
    last = reply.lines[-1]
    if not reply_passages(talk):
        detail = f"No passage of the knowledge lay before the agent for its last reply: {quoted(reply.text)}"
        return settled(check, False, detail, last)
    if talk.test.grounding == "judge":
        return None
    match ground_reply(talk):
        case "known":
            return settled(check, True, f"The knowledge carries the last reply: {quoted(reply.text)}", last)
        case "unknown":
            return settled(check, False, f"The knowledge does not carry the last reply: {quoted(reply.text)}", last)
        case _:
            detail = f"The last reply states nothing that the knowledge could carry: {quoted(reply.text)}"
            return settled(check, False, detail, last)


def _measure(claims: list[Claim], evidence: Evidence, given: _Given) -> Grounding:
    return _together([_measure_claim(claim, evidence, given) for claim in claims])


def _measure_claim(claim: Claim, evidence: Evidence, given: _Given) -> Grounding:
    parts: list[Grounding] = []
    for part in claim.parts:
        if evidence.carries(part, given.readings):
            parts.append("known")
        elif given.repeats(part):
            parts.append("none")
        else:
            parts.append("unknown")
    # The parts of a sentence may need each other: "Monday and Friday, nine to five".
    if "unknown" in parts and len(parts) > 1 and evidence.carries(claim.whole, given.readings):
        return "known"
    return _together(parts)


def _together(parts: Sequence[Grounding]) -> Grounding:
    if "unknown" in parts:
        return "unknown"
    return "known" if "known" in parts else "none"


def _names(talk: Talk) -> frozenset[str]:
    """Words that claim nothing here: the agents' names, the variables' values, the greeting that the owner wrote."""
    agent = talk.agent
    speakers = {line.agent for line in talk.transcript if line.role == "agent"}
    texts = [agent.name, agent.greeting or "", *speakers, *agent.variables.values(), *talk.test.variables.values()]
    return frozenset[str]().union(*map(words_of, texts))


def _text_of(value: Json) -> str:
    """The words and numbers of a JSON value, in order."""
    if isinstance(value, dict):
        return ". ".join(f"{regex.sub('[_-]', ' ', key)} {_text_of(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ". ".join(_text_of(item) for item in value)
    return "" if value is None or isinstance(value, bool) else str(value)
