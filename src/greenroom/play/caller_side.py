"""The other side of the talk: a persona that a model plays, or fixed messages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from greenroom.model.errors import RunError
from greenroom.model.llm import Llm
from greenroom.model.patterns import BadPattern, found
from greenroom.model.run import CallerLine
from greenroom.model.talk import BrainReply, BrainRequest, Message, ModelSaid, UserSaid
from greenroom.model.text import cut, speakable
from greenroom.play.caller_prompt import caller_prompt
from greenroom.play.ends import End
from greenroom.play.guard import Cleaned, clean, slip
from greenroom.play.noise import misheard
from greenroom.play.stage import Stage

YOU_START = "(you speak first)"


@dataclass(frozen=True, slots=True)
class CallerWords:
    """The caller's next words. `last`: the caller hangs up once the agent has answered them."""

    text: str
    last: bool = False
    slipped: bool = False


class CallerSide(Protocol):
    """Whoever talks to the agent."""

    async def next(self) -> CallerWords | End:
        """The next words, or how the caller ends the talk instead of saying any."""
        ...


async def speak(stage: Stage, words: CallerWords) -> None:
    """Put the caller's words into the talk: cut to length, and through the noise of the line where there is any."""
    test, limits = stage.plan.test, stage.plan.limits
    said, truncated = cut(words.text, limits.caller_line_chars)
    heard = said
    noise = test.caller.speech_noise
    if noise is not None:
        language = test.caller.language or stage.plan.agent.language
        heard = misheard(said, noise.word_error_rate, stage.plan.seed * 1_000_003 + stage.turn, language)
    line = CallerLine(turn=stage.turn, text=heard, truncated=truncated, caller_slip=words.slipped)
    if noise is not None:
        line.said = said
    await stage.recorder.add(line)
    stage.say(heard, None)


class ScriptSide:
    """Fixed messages, each in turn; one with `when` is sent only if the agent's last words match."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._left = list(stage.plan.test.caller.messages or ())

    async def next(self) -> CallerWords | End:
        while self._left:
            message = self._left.pop(0)
            if message.when is None or matches(message.when, self._stage.last_reply, "a message's `when`"):
                return CallerWords(await self._stage.fill(message.text, self._stage.plan.agent, "message"))
        return End("script_ended")


class PersonaSide:
    """A persona: the opening line and the reactions as written, all else by a model."""

    def __init__(self, stage: Stage, llm: Llm) -> None:
        self._stage = stage
        self._llm = llm
        self._caller = stage.plan.test.caller
        agent = stage.plan.agent
        self._system = caller_prompt(
            self._caller,
            stage.variables_of(agent),
            spoken=agent.speaks,
            language=self._caller.language,
        )
        self._messages: list[Message] = []
        self._own_lines: list[str] = []
        self._used: Counter[int] = Counter()

    async def next(self) -> CallerWords | End:
        reply = self._stage.last_reply
        self._messages.append(UserSaid(reply or YOU_START))
        words = await self._fixed_words(reply) or await self._asked_words(reply)
        if isinstance(words, CallerWords):
            self._messages.append(ModelSaid(words.text))
            self._own_lines.append(words.text)
        return words

    async def _fixed_words(self, reply: str) -> CallerWords | None:
        if not self._own_lines and self._caller.opening_line:
            return CallerWords(
                await self._stage.fill(self._caller.opening_line, self._stage.plan.agent, "opening line")
            )
        for index, reaction in enumerate(self._caller.reactions):
            if self._used[index] < reaction.times and matches(reaction.when, reply, "a reaction's `when`"):
                self._used[index] += 1
                line = clean(reaction.say)
                return CallerWords(line.text, last=line.hangs_up)
        return None

    async def _asked_words(self, reply: str) -> CallerWords | End:
        """The model's next line; one that is no caller's line is asked for once more, with a hint."""
        first, hint = await self._ask(reply)
        if not hint:
            return _as_words(first, slipped=False)
        second, problem = await self._ask(reply, bad=first, hint=hint)
        if not problem:
            return _as_words(second, slipped=False)
        if not second.text:
            raise RunError(
                f"{self._llm.model} gave no words twice in a row as the caller: check the persona, or name another "
                "model in `caller_llm`."
            )
        await self._stage.recorder.warn(
            f"The simulated caller slipped in turn {self._stage.turn} ({problem.split('.')[0].lower()}): do not blame "
            "the agent for it."
        )
        return _as_words(second, slipped=True)

    async def _ask(self, reply: str, *, bad: Cleaned | None = None, hint: str = "") -> tuple[Cleaned, str]:
        messages = tuple(self._messages)
        if bad is not None:
            # The hint is for this request alone: it is not part of the talk and is not sent again.
            note = UserSaid(f"(a note to you, not said aloud: {hint})")
            messages = (*messages, ModelSaid(bad.text or "(silence)"), note)
        answer = await self._stage.meter.ask(
            BrainRequest(role="caller", llm=self._llm, system=self._system, messages=messages, heard=reply)
        )
        raw = speakable(answer.text)
        line = clean(raw)
        return line, _problem(raw, line, answer, reply, self._own_lines)


def _problem(raw: str, line: Cleaned, answer: BrainReply, reply: str, own_lines: list[str]) -> str:
    if answer.finish == "refused":
        return "You refused to go on. You play a person in a rehearsal: say what that person would say next."
    return slip(raw, line, reply, own_lines)


def _as_words(line: Cleaned, *, slipped: bool) -> CallerWords | End:
    if not line.text:
        return End("caller_hung_up")
    return CallerWords(line.text, last=line.hangs_up, slipped=slipped)


def matches(pattern: str, text: str, place: str) -> bool:
    """Whether the pattern is found in the text.

    Raises:
        RunError: the pattern cannot be read.
    """
    try:
        return found(pattern, text)
    except BadPattern as problem:
        raise RunError(f"The pattern `{pattern}` of {place} cannot be read: {problem}.") from None
