"""What `greenroom chat` does: opens the agent's side, and plays a turn with each line that a person gives."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text

from greenroom.cli.asking import Lines, open_lines
from greenroom.cli.background import BackgroundLoop
from greenroom.cli.chat_commands import COMMANDS, Command, read_command
from greenroom.cli.chat_saving import Saver
from greenroom.cli.chat_tools import describe_tools
from greenroom.cli.chat_view import YOU, ChatView
from greenroom.cli.choosing import AgentWishes, Chosen, choose
from greenroom.cli.exits import ExitCode
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import shown_path
from greenroom.engine import never
from greenroom.local import open_ports
from greenroom.model.case import ToolMode
from greenroom.model.errors import GreenroomError, RunError
from greenroom.model.run import Run, ToolLine
from greenroom.model.text import speakable
from greenroom.play.conversation import Conversation, with_live_caller
from greenroom.play.plan import Plan, Ports
from greenroom.report.describe import ENDS
from greenroom.report.figures import plural
from greenroom.report.printable import printable, printable_line

_OVER = "The talk is over: /undo takes the last turn back, /restart begins a new talk."


@dataclass(frozen=True, slots=True)
class ChatWishes:
    """Everything that the command line of `greenroom chat` asks for."""

    chosen: AgentWishes
    tools: ToolMode | None = None
    as_json: bool = False


def chat_with(wishes: ChatWishes) -> int:
    """Hold the talk; the exit code.

    Raises:
        UserMistake: something in the file or on the command line is wrong; nothing was said.
    """
    keep_log()
    output = Output.open(as_json=wishes.as_json)
    chosen = choose(wishes.chosen)
    lines = open_lines([f"/{name}" for name in COMMANDS], on_stderr=wishes.as_json)
    with BackgroundLoop() as background:
        ports = background.open(open_ports(chosen.case.credentials, os.environ))
        session = _Session(wishes, chosen, output, lines, background, ports)
        run = session.hold()
    if wishes.as_json:
        output.print_json(speakable(json.dumps(run.model_dump(mode="json"), ensure_ascii=False, indent=2)))
    if run.status == "cancelled":
        return ExitCode.INTERRUPTED
    return ExitCode.COULD_NOT_FINISH if run.status == "error" else ExitCode.ALL_PASSED


class _Session:
    """One sitting: one talk after the other, with the same agent."""

    def __init__(
        self,
        wishes: ChatWishes,
        chosen: Chosen,
        output: Output,
        lines: Lines,
        background: BackgroundLoop,
        ports: Ports,
    ) -> None:
        self._wishes = wishes
        self._chosen = chosen
        self._output = output
        self._lines = lines
        self._background = background
        self._ports = ports
        self._view = ChatView(output, echo=not lines.is_live, speaking=chosen.agent.name)
        self._saver = Saver(lines, self._view)
        self._talk = self._new_talk()
        self._not_said = 0

    def hold(self) -> Run:
        """Read and answer lines until there are no more; the last talk."""
        try:
            run = self._hold()
        except KeyboardInterrupt:
            run = self._finish(stopped=True)
        finally:
            self._background.call(self._talk.close())
        if not self._wishes.as_json:
            self._output.say_aside(self._view.summary(run))
        return run

    def _hold(self) -> Run:
        self._greet_person()
        problem = self._open()
        while problem is None:
            try:
                line = self._lines.next(YOU)
            except KeyboardInterrupt:
                if not self._lines.is_live:
                    raise
                self._view.plain(Text())
                self._view.note("Ctrl-D or /quit ends the talk")
                continue
            if line is None:
                break
            command = read_command(line)
            if isinstance(command, Command) and command.name == "quit":
                break
            problem = self._obey(command) if isinstance(command, Command) else self._say(command)
        if self._not_said:
            self._view.note(f"the talk was over: {plural(self._not_said, 'line was', 'lines were')} not said")
        if problem is not None:
            self._complain(f"Error: {problem}")
        return self._finish(str(problem) if problem is not None else None)

    def _finish(self, error: str | None = None, *, stopped: bool = False) -> Run:
        return self._background.call(self._talk.finish(error, stopped=stopped))

    def _greet_person(self) -> None:
        if not self._lines.is_live:
            return
        agent = self._chosen.agent
        model = agent.llm.model if agent.llm else "lives elsewhere" if agent.remote else "no model"
        tools = self._plan().test.tool_mode
        words = f"{printable_line(agent.name)} ({printable_line(model)}), as {shown_path(self._chosen.file)} has it"
        self._output.say_aside(
            Text(f"{words}; tools: {tools}. /help lists the commands, Ctrl-D ends the talk.", style="dim")
        )

    # The talk

    def _plan(self) -> Plan:
        case = self._chosen.case
        test = with_live_caller(case.test)
        if self._wishes.tools is not None:
            test = test.model_copy(update={"tools": self._wishes.tools, "use_real_tools": False})
        return Plan(
            run_id=f"run_{uuid.uuid4().hex}",
            test=test,
            agent=case.agent,
            others=case.others,
            limits=self._chosen.limits,
            variant=case.variant,
            overrides_used=case.overridden,
        )

    def _new_talk(self) -> Conversation:
        return Conversation(self._plan(), self._ports, self._view.hear, never)

    def _open(self) -> RunError | None:
        return self._turn(lambda: self._background.call(self._talk.open()))

    def _say(self, text: str) -> RunError | None:
        text = text.strip()
        if not text:
            return None
        if self._talk.end is not None:
            self._not_said += not self._lines.is_live
            if self._lines.is_live:
                self._view.note(_OVER)
            return None
        return self._turn(lambda: self._background.call(self._talk.say(text)))

    def _turn(self, play: Callable[[], object]) -> RunError | None:
        """Play one turn. Where a person sits there, what goes wrong is told and the turn taken back; else it is the
        end of the talk, and given back."""
        began, lines = time.monotonic(), len(self._talk.run.transcript)
        try:
            with self._view.waiting():
                play()
        except KeyboardInterrupt:
            if not self._lines.is_live:
                raise
            self._take_back_broken("Stopped: this turn was taken back")
            return None
        except RunError as problem:
            if not self._lines.is_live:
                return problem
            self._view.plain(Text(f"Error: {printable(str(problem))}", style="bold red"))
            self._take_back_broken(
                "This turn was taken back: mend what is wrong, /prompt if it was in the file, and say it again"
            )
            return None
        if self._lines.is_live and len(self._talk.run.transcript) > lines:
            self._view.figures(self._talk.run, time.monotonic() - began)
        end = self._talk.end
        if end is not None:
            detail = f" ({end.detail})" if end.detail else ""
            self._view.note(f"the talk is over: {ENDS[end.by]}{detail}")
        return None

    def _take_back_broken(self, words: str) -> None:
        heard = self._talk.is_kept_elsewhere
        self._talk.undo()
        self._view.forget_from(len(self._talk.run.transcript))
        self._view.begin(self._talk.agent.name)
        self._view.note(words)
        if heard:
            self._view.note("the agent lives elsewhere and may have heard it all the same: /restart begins a new talk")

    # Commands

    def _obey(self, command: Command) -> RunError | None:
        obeyed: dict[str, Callable[[Command], RunError | None]] = {
            "save": self._save,
            "undo": self._undo,
            "restart": self._restart,
            "tools": self._tools,
            "prompt": self._prompt,
            "help": self._help,
        }
        try:
            if command.problem:
                self._complain(command.problem)
                return None
            return obeyed[command.name](command)
        except GreenroomError as problem:
            self._complain(str(problem))
        except KeyboardInterrupt:
            if not self._lines.is_live:
                raise
            self._view.note("Stopped")
        return None

    def _complain(self, words: str) -> None:
        style = "bold red" if self._lines.is_live else ""
        self._output.aside.print(Text(printable(words), style=style), soft_wrap=not self._lines.is_live)

    def _save(self, command: Command) -> None:
        self._saver.save(self._talk, self._chosen, name=command.rest, as_reply=command.as_reply)

    def _undo(self, _command: Command) -> None:
        taken = self._talk.undo()
        if not taken:
            self._view.note("There is nothing to take back")
            return
        self._view.forget_from(len(self._talk.run.transcript))
        self._view.begin(self._talk.agent.name)
        said = next((line.text for line in taken if line.role == "caller"), "")
        self._view.note(f"Taken back: “{said}” and what followed")
        if any(isinstance(line, ToolLine) and line.source in ("webhook", "mcp") for line in taken):
            self._view.note("The tools that ran for real have run: that cannot be taken back")

    def _restart(self, _command: Command) -> RunError | None:
        self._read_again()
        self._background.call(self._talk.close())
        self._talk = self._new_talk()
        self._view.begin(self._chosen.agent.name)
        self._view.note("A new talk")
        return self._open()

    def _read_again(self) -> None:
        """Take the file as it is now; where something is wrong with it, that is told and it stays as it was."""
        try:
            self._chosen = choose(self._wishes.chosen)
        except GreenroomError as problem:
            self._complain(str(problem))
            self._view.note("The file stays as it was read before")

    def _prompt(self, _command: Command) -> None:
        before = self._chosen
        self._chosen = choose(self._wishes.chosen)
        try:
            self._background.call(self._talk.follow(self._plan()))
        except BaseException:
            self._chosen = before
            raise
        changed = [
            name
            for name in type(before.agent).model_fields
            if getattr(before.agent, name) != getattr(self._chosen.agent, name)
        ]
        others = before.case.others != self._chosen.case.others or before.case.test != self._chosen.case.test
        if not changed and not others:
            self._view.note(f"{shown_path(self._chosen.file)} was read again: nothing has changed")
            return
        words = ", ".join(changed) if changed else "what stands beside the agent"
        self._view.note(f"{shown_path(self._chosen.file)} was read again: {words} changed, from the next reply on")
        if "greeting" in changed:
            self._view.note("The greeting was said already: /restart lets you hear the new one")

    def _tools(self, _command: Command) -> None:
        tools = self._background.call(self._talk.tools())
        for words in describe_tools(tools, self._talk.plan.test):
            self._view.plain(words)

    def _help(self, _command: Command) -> None:
        for name, (usage, what) in COMMANDS.items():
            self._view.plain(Text(f"  /{name + (f' {usage}' if usage else ''):<24} {what}"))
        self._view.plain(
            Text("  Anything else is said to the agent; a line that starts with // is said with one slash.")
        )
