"""`/save`: makes a test of a talk, and asks what it is to check."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError
from rich.text import Text

from greenroom.cli.adding import add_tests, for_file, names_in
from greenroom.cli.asking import Lines, picked
from greenroom.cli.chat_view import ChatView
from greenroom.cli.choosing import Chosen
from greenroom.cli.playing import shown_path
from greenroom.drafting.from_talk import last_caller_line, reply_of, script_of, suggested_checks
from greenroom.model.case import Test
from greenroom.model.checks import Check, Criterion, JudgeCheck, NeverCallsTool, NeverSays, ReplyMeets, Says
from greenroom.model.errors import UserMistake
from greenroom.play.conversation import Conversation
from greenroom.report.describe import describe_check
from greenroom.report.figures import plural
from greenroom.report.printable import printable_line

_MAKERS: dict[str, Callable[[str], Check]] = {
    "says": lambda text: Says(text=text),
    "never_says": lambda text: NeverSays(text=text),
    "never_calls_tool": lambda text: NeverCallsTool(tool=text),
    "judge": lambda text: JudgeCheck(question=text),
    "criterion": lambda text: Criterion(text=text),
    "reply_meets": lambda text: ReplyMeets(criteria=text),
}


class Saver:
    """Makes tests of talks."""

    def __init__(self, lines: Lines, view: ChatView) -> None:
        self._lines = lines
        self._view = view

    def save(self, talk: Conversation, chosen: Chosen, *, name: str, as_reply: bool) -> None:
        """Make a test of the talk so far, ask a person what it is to check (else take what suggests itself), and add
        it to the agent's file.

        Raises:
            UserMistake: there is nothing to make a test of, or it cannot be written.
        """
        lines = talk.run.transcript
        make = reply_of if as_reply else script_of
        test = make(lines, chosen.agents, name or None)
        tested = lines[(last_caller_line(lines) or 0) :] if as_reply else lines
        checks = suggested_checks(tested)
        if self._lines.is_live:
            checks = self._ask(checks)
        changes: dict[str, object] = {"checks": checks} if checks else {}
        if talk.plan.test.variables:
            changes["variables"] = dict(talk.plan.test.variables)
        (test,) = for_file([test.model_copy(update=changes)], chosen, names_in(chosen.file))
        path = add_tests([test], chosen)
        self._tell(test, chosen, shown_path(path))

    def _tell(self, test: Test, chosen: Chosen, path: str) -> None:
        what = plural(len(test.checks), "check") if test.checks else "no check yet: it passes when it finishes"
        words = Text("Saved “").append(printable_line(test.name), style="bold").append(f"” to {path} ({what})")
        self._view.plain(words)
        if chosen.case.overridden or chosen.case.variant is not None:
            self._view.note("the test is for the agent as the file has it: --model, --set and --variant are not saved")

    # Checks

    def _ask(self, suggested: list[Check]) -> list[Check]:
        checks = self._ask_which(suggested) if suggested else []
        self._view.note(f"more checks? one a line: {', '.join(_MAKERS)} and what it is about; Enter ends")
        while (answer := self._lines.next("check  ")) is not None and answer.strip():
            kind, _, about = answer.strip().partition(" ")
            make = _MAKERS.get(kind)
            if make is None or not about.strip():
                self._view.note("write for example: never_says guarantee")
                continue
            try:
                checks.append(make(about.strip()))
            except ValidationError as problem:
                self._view.note(str(problem.errors()[0]["msg"]))
        return checks

    def _ask_which(self, suggested: list[Check]) -> list[Check]:
        for number, check in enumerate(suggested, start=1):
            self._view.plain(Text(f"  {number}  {describe_check(check)}"))
        while True:
            answer = self._lines.next("Which of these checks? (Enter: all, 0: none, or such as 1,3) ")
            if answer is None:
                raise UserMistake("Nothing was saved.")
            chosen = picked(answer, len(suggested))
            if chosen is not None:
                return [suggested[index] for index in chosen]
