"""Who calls, in Python: a persona that a model plays, a script of fixed messages, or a talk that was already held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from greenroom.model.base import Json
from greenroom.model.case import Caller, HistoryLine, Reaction, ScriptMessage, SpeechNoise, Temperament
from greenroom.testing.written import explained


class Persona(Caller):
    """A caller that a model plays: who they are and what they want, in your own words.

    `opening_line` is said first, as written. `facts` is the caller's only source for such things as dates and numbers.
    `reactions` are fixed answers that are tried before the model.

    Raises:
        UserMistake: the persona is empty, or a value does not fit.
    """

    def __init__(
        self,
        persona: str,
        *,
        opening_line: str | None = None,
        facts: Mapping[str, Json] | None = None,
        reactions: Sequence[Reaction | Mapping[str, Json]] | None = None,
        temperament: Temperament | None = None,
        language: str | None = None,
        speech_noise: SpeechNoise | Mapping[str, Json] | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "persona": persona,
            "opening_line": opening_line,
            "facts": None if facts is None else dict(facts),
            "reactions": None if reactions is None else list(reactions),
            "temperament": temperament,
            "language": language,
            "speech_noise": speech_noise,
        }
        try:
            super().__init__(**_without_none(given))
        except ValidationError as error:
            raise explained(error, "Persona") from None


class Script(Caller):
    """A caller that sends fixed messages, one a turn: texts, or `ScriptMessage(text=…, when=…)`.

    Raises:
        UserMistake: there is no message, or a value does not fit.
    """

    def __init__(
        self, *messages: str | ScriptMessage | Mapping[str, Json], speech_noise: SpeechNoise | None = None
    ) -> None:
        try:
            super().__init__(**_without_none({"messages": list(messages), "speech_noise": speech_noise}))
        except ValidationError as error:
            raise explained(error, "Script") from None


class History(Caller):
    """A talk that was already held, up to the caller's words that the agent is to answer: one reply is asked for.

    Each line is `("caller", "…")` or `("agent", "…")`; a text alone is the caller's.

    Raises:
        UserMistake: the talk does not end with the caller, or a value does not fit.
    """

    def __init__(self, *lines: str | tuple[str, str] | HistoryLine | Mapping[str, str]) -> None:
        try:
            super().__init__(history=[_history_line(line) for line in lines])  # pyright: ignore[reportArgumentType] - pydantic reads plain data
        except ValidationError as error:
            raise explained(error, "History") from None


def _history_line(line: str | tuple[str, str] | HistoryLine | Mapping[str, str]) -> object:
    match line:
        case str():
            return {"role": "caller", "text": line}
        case (role, text):
            return {"role": role, "text": text}
        case _:
            return line


def _without_none(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
