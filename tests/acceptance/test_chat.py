from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.support.fenced_blocks import ROOT, blocks
from tests.support.model_server import Answer, Broken, ModelServer, Status
from tests.support.program import Greenroom
from tests.support.webhook_receiver import WebhookReceiver

DESK = """# The front desk.
agent:
  name: Front desk
  prompt: You book visits.
  greeting: "{{company}}, hello."
  variables: {company: Northline}
  can_end_call: true
  components: [link]
  tools:
    - {name: book_slot, description: Book a visit, parameters: {type: object, properties: {day: {type: string}}}}
  llm:
    model: scripted:desk
    script:
      - {when: monday, say: One moment., call: {tool: book_slot, arguments: {day: Monday}}}
      - {when: {tool: book_slot}, say: Booked.}
      - {when: link, call: {tool: show_link, arguments: {title: Map, url: "https://example.com/map"}}}
      - {when: {tool: show_link}, say: Here it is.}
      - {when: evil, say: "\\e[31mRed\\e[0m"}
      - {when: bye, say: Bye!, hang_up: true}
      - {when: hello, say: Hi there.}
tests:
  # The only one so far.
  - name: Books a visit
    variables: {company: Southline}
    tool_results: {book_slot: {ok: true, slot: "10:00"}}
    caller: {messages: [Monday]}
    checks: [{type: says, text: booked}]
"""
BILLING = """
agents:
  - name: Front desk
    prompt: p
    greeting: Hello.
    can_hand_off: [Billing]
    llm:
      model: scripted:desk
      script: [{call: {tool: hand_off_to_agent, arguments: {agent: Billing, reason: A bill.}}}]
  - {name: Billing, prompt: p, llm: {model: "scripted:b", script: [{say: Billing here.}]}}
"""


@pytest.fixture
def desk(greenroom: Greenroom) -> Greenroom:
    greenroom.write("greenroom.yaml", DESK)
    return greenroom


def saved_in(path: Path) -> list[dict[str, object]]:
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))["tests"]


def test_lines_that_are_piped_in_are_answered_and_the_transcript_comes_out(desk: Greenroom) -> None:
    ended = desk.feed("Hello\n\nOn Monday, please.\n", "chat")
    assert ended.code == 0, ended.everything
    lines = [line.split(" [")[0] for line in ended.out.splitlines()]
    assert lines == [
        "agent  Northline, hello.",
        "you    Hello",
        "agent  Hi there.",
        "you    On Monday, please.",
        "agent  One moment.",
        'tool   book_slot(day: "Monday") → {"ok": true}',
        "agent  Booked.",
    ]
    assert "2 turns" in ended.err
    assert "\x1b" not in ended.everything


def test_a_test_lends_its_variables_and_prepared_answers(desk: Greenroom) -> None:
    ended = desk.feed("monday\n", "chat", "--test", "books")
    assert "Southline, hello." in ended.out
    assert '{"ok": true, "slot": "10:00"} [canned' in ended.out


def test_with_json_the_run_is_printed_and_nothing_else(desk: Greenroom) -> None:
    ended = desk.feed("hello\nbye\nmore\n", "chat", "--json")
    run = ended.json
    assert ended.code == 0
    assert [line["text"] for line in run["transcript"] if line["role"] != "tool"] == [
        "Northline, hello.",
        "hello",
        "Hi there.",
        "bye",
        "Bye!",
    ]
    assert (run["status"], run["ended_by"], run["kind"]) == ("passed", "agent_hung_up", "script")
    assert "1 line was not said" in ended.err


def test_a_hand_off_cards_and_the_source_of_tools_are_shown(desk: Greenroom) -> None:
    shown = desk.feed("A link?\n", "chat").out
    assert 'card   link: {"title": "Map", "url": "https://example.com/map"}' in shown
    assert "[engine]" in shown
    desk.write("billing.yaml", BILLING)
    moved = desk.feed("My bill\n", "chat", "billing.yaml").out
    assert "(Billing answers from here)" in moved
    assert moved.endswith("agent  Billing here.\n")


def test_what_a_model_writes_cannot_steer_the_terminal(desk: Greenroom) -> None:
    ended = desk.feed("evil\n", "chat")
    assert "␛[31mRed" in ended.out
    assert "\x1b" not in ended.everything


def test_undo_restart_and_unknown_commands(desk: Greenroom) -> None:
    ended = desk.feed("hello\n/undo\n/undo\nbye\n/restart\nhello\n/udno\n/quit\nhello\n", "chat", "--json")
    assert ended.code == 0
    assert "Taken back: “hello”" in ended.err
    assert "nothing to take back" in ended.err
    assert "did you mean /undo?" in ended.err
    assert [line["text"] for line in ended.json["transcript"]] == ["Northline, hello.", "hello", "Hi there."]


def test_save_adds_a_script_test_that_passes_and_keeps_the_comments_of_the_file(desk: Greenroom) -> None:
    ended = desk.feed("hello\nmonday\nbye\n/save Moves a visit\n/save\n", "chat")
    assert "Saved “Moves a visit” to greenroom.yaml (2 checks)" in ended.out
    path = desk.folder / "greenroom.yaml"
    assert path.read_text(encoding="utf-8").startswith(DESK)
    _, first, second = saved_in(path)
    assert first == {
        "name": "Moves a visit",
        "caller": {"messages": ["hello", "monday", "bye"]},
        "tool_results": {"book_slot": {"ok": True}},
        "checks": [{"type": "calls_tool", "tool": "book_slot", "arguments": ["day"]}, {"type": "ends_call"}],
    }
    assert second["name"] == "hello"
    played = desk.run("run")
    assert played.code == 0, played.everything


def test_save_reply_makes_a_test_of_the_last_reply(desk: Greenroom) -> None:
    desk.feed("hello\nmonday\n/save --reply The booking\n", "chat", "--test", "Books a visit")
    _, saved = saved_in(desk.folder / "greenroom.yaml")
    assert saved["name"] == "The booking"
    assert saved["variables"] == {"company": "Southline"}
    assert saved["caller"]["history"][-1] == {"role": "caller", "text": "monday"}  # pyright: ignore[reportIndexIssue]
    assert desk.run("run", "-k", "booking").code == 0


def test_a_test_of_an_agent_file_goes_into_a_new_file_beside_it(desk: Greenroom) -> None:
    desk.write("agents/desk.yaml", "name: Desk\nprompt: p\nllm: {model: 'scripted:x', script: [{say: Yes.}]}\n")
    ended = desk.feed("Anyone there?\n/save\n/save\n", "chat", "agents/desk.yaml")
    assert "Saved “Anyone there?” to agents/anyone-there.greenroom.yaml" in ended.out
    assert "agents/anyone-there-2.greenroom.yaml" in ended.out
    assert desk.run("run", "agents/anyone-there.greenroom.yaml").code == 0


def test_an_edited_prompt_holds_from_the_next_reply_on(greenroom: Greenroom) -> None:
    with ModelServer.in_thread(lambda heard: Answer(text=f"I was told: {heard.system[:9]}")) as server:
        llm = "{{model: 'openai-compatible:m', base_url: '{}'}}"
        file = f"agent:\n  name: A\n  prompt: {{}}\n  greeting: Hi.\n  llm: {llm}\n"
        path = greenroom.write("greenroom.yaml", file.format("Be kind.", server.openai_url))
        process = greenroom.start("chat", stdin=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None

        def say(line: str) -> None:
            assert process.stdin is not None
            process.stdin.write(f"{line}\n")
            process.stdin.flush()

        say("One")
        shown = [process.stdout.readline() for _ in range(3)]
        assert shown[-1].startswith("agent  I was told: Be kind.")
        path.write_text(file.format("Be brief", server.openai_url), encoding="utf-8")
        say("/prompt")
        assert "prompt changed, from the next reply on" in process.stdout.readline()
        say("Two")
        process.stdout.readline()
        assert process.stdout.readline().startswith("agent  I was told: Be brief")
        path.write_text("agent: {}", encoding="utf-8")
        say("/prompt")
        say("Three")
        ended = greenroom.ended(process)
    assert "greenroom.yaml:1:8" in ended.err
    assert ended.out.endswith("agent  I was told: Be brief\n")
    assert [message.text for message in server.requests[-1].messages if message.role == "user"][-3:] == [
        "One",
        "Two",
        "Three",
    ]


def test_tools_are_listed_with_how_they_are_answered(desk: Greenroom) -> None:
    assert "book_slot(day)  Book a visit  [canned: {" in desk.feed("/tools\n", "chat").out
    assert "[only planned]" in desk.feed("/tools\n", "chat", "--tools", "plan").out


def test_a_dry_run_plans_and_the_talk_goes_on(desk: Greenroom) -> None:
    ended = desk.feed("monday\nhello\n", "chat", "--tools", "plan")
    assert "[planned]" in ended.out
    assert ended.out.endswith("agent  Hi there.\n")


def test_real_tools_are_called_when_asked_for(desk: Greenroom) -> None:
    with WebhookReceiver.in_thread() as receiver:
        webhook = f"  tool_webhook: {{url: '{receiver.url}', secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}}\n"
        desk.write("greenroom.yaml", DESK.replace("  can_end_call", f"{webhook}  can_end_call"))
        ended = desk.feed("monday\n/undo\n", "chat", "--tools", "real")
    assert "[webhook" in ended.out
    assert "cannot be taken back" in ended.out
    assert len(receiver.requests) == 1


def test_piped_lines_end_at_an_error_with_exit_code_3(desk: Greenroom) -> None:
    ended = desk.feed("hello\nmumble\nhello\n", "chat", "--json")
    assert ended.code == 3
    assert "“mumble”" in ended.err
    assert ended.json["status"] == "error"
    assert ended.json["transcript"][-1]["text"] == "mumble"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chat", "nowhere.yaml"], "nowhere.yaml:1:1: there is no file"),
        (["chat", "--agent", "Frontdesk"], "did you mean `Front desk`?"),
        (["chat", "--test", "Boks a visit"], "did you mean `Books a visit`?"),
        (["chat", "--test", "Books a visit", "--agent", "B"], "take --agent out"),
        (["chat", "--model", "gpt"], "provider:name"),
        (["chat", "--set", "promt=x"], "did you mean `prompt`?"),
        (["chat", "--variant", "x"], "There is no variant `x`"),
        (["chat", "--tools", "fake"], "--tools"),
    ],
)
def test_mistakes_are_told_in_a_sentence(desk: Greenroom, words: list[str], sentence: str) -> None:
    ended = desk.feed("hello\n", *words)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.out == ""


def test_nothing_on_standard_input_ends_after_the_first_words(desk: Greenroom) -> None:
    ended = desk.run("chat")
    assert ended.code == 0
    assert ended.out == "agent  Northline, hello.\n"


# At a terminal

PROMPT = "you    "


def test_at_a_terminal_lines_are_typed_answered_and_counted(desk: Greenroom) -> None:
    terminal = desk.on_a_terminal("chat", columns=100)
    terminal.read_until(PROMPT)
    terminal.type("hello\n")
    terminal.read_until(PROMPT, 2)
    assert "so far" in terminal.page
    terminal.type("/save Greets\n")
    terminal.read_until("check  ")
    terminal.type("never_says guarantee\n")
    terminal.read_until("check  ", 2)
    terminal.type("\n")
    terminal.read_until(PROMPT, 3)
    terminal.type("\x04")
    assert terminal.wait() == 0
    assert "Saved" in terminal.page
    assert saved_in(desk.folder / "greenroom.yaml")[-1]["checks"] == [{"type": "never_says", "text": "guarantee"}]


def test_suggested_checks_can_be_picked(desk: Greenroom) -> None:
    terminal = desk.on_a_terminal("chat", columns=100)
    for number, line in enumerate(["monday", "bye", "/save Both"], start=1):
        terminal.read_until(PROMPT, number)
        terminal.type(f"{line}\n")
    for number, answer in enumerate(["7", "2"], start=1):
        terminal.read_until("Which of these checks?", number)
        terminal.type(f"{answer}\n")
    terminal.read_until("check  ")
    terminal.type("\n")
    terminal.read_until(PROMPT, 4)
    terminal.type("/quit\n")
    assert terminal.wait() == 0
    assert saved_in(desk.folder / "greenroom.yaml")[-1]["checks"] == [{"type": "ends_call"}]


def test_an_error_at_a_terminal_takes_the_turn_back_and_the_talk_goes_on(desk: Greenroom) -> None:
    terminal = desk.on_a_terminal("chat", columns=120)
    terminal.read_until(PROMPT)
    terminal.type("mumble\n")
    terminal.read_until(PROMPT, 2)
    assert "This turn was taken back" in terminal.page
    terminal.type("hello\n")
    terminal.read_until(PROMPT, 3)
    assert "Hi there." in terminal.page
    terminal.type("\x04")
    assert terminal.wait() == 0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer.in_thread(Answer(text="Here I am.")) as server:
        yield server


def far_away(server: ModelServer) -> str:
    llm = f"{{model: 'openai-compatible:m', base_url: '{server.openai_url}'}}"
    return f"agent:\n  name: Far\n  prompt: p\n  greeting: Hi.\n  llm: {llm}\n"


def test_ctrl_c_during_a_reply_ends_that_reply_alone(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", far_away(server))
    server.queue(Broken("hang"))
    terminal = greenroom.on_a_terminal("chat", columns=100)
    terminal.read_until(PROMPT)
    terminal.type("First\n")
    server.wait_for(1)
    terminal.interrupt()
    terminal.read_until(PROMPT, 2)
    assert "Stopped: this turn was taken back" in terminal.page
    terminal.type("Second\n")
    terminal.read_until(PROMPT, 3)
    assert "Here I am." in terminal.page
    terminal.type("\x04")
    assert terminal.wait() == 0
    assert "First" not in str(server.requests[-1].messages)
    server.release()


def test_ctrl_c_at_the_prompt_says_how_to_end(desk: Greenroom) -> None:
    terminal = desk.on_a_terminal("chat", columns=100)
    terminal.read_until(PROMPT)
    terminal.type("half a li")
    terminal.read_until("half a li")
    terminal.interrupt_at_a_question()
    terminal.read_until("Ctrl-D or /quit ends the talk")
    terminal.type("/quit\n")
    assert terminal.wait() == 0
    assert "No rule" not in terminal.page


def test_ctrl_c_ends_a_talk_that_is_piped_in(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", far_away(server))
    server.queue(Broken("hang"))
    process = greenroom.start("chat", "--json", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("First\nSecond\n")
    process.stdin.flush()
    server.wait_for(1)
    process.send_signal(signal.SIGINT)
    ended = greenroom.ended(process)
    server.release()
    assert ended.code == 130
    assert ended.json["status"] == "cancelled"
    assert "Traceback" not in ended.err


def test_a_provider_that_refuses_the_key_is_told_without_the_key(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", far_away(server).replace("base_url", "credential: mine, base_url"))
    with (greenroom.folder / "greenroom.yaml").open("a", encoding="utf-8") as file:
        file.write("credentials: {mine: {api_key: '${MY_KEY}'}}\n")
    assert "MY_KEY" in greenroom.feed("Hello\n", "chat").err
    server.queue(Status(401))
    ended = greenroom.feed("Hello\n", "chat", environ={"MY_KEY": "sk-very-secret-1234"})
    assert ended.code == 3
    assert "sk-very-secret" not in ended.everything


def test_the_talk_of_the_docs_is_what_is_printed(greenroom: Greenroom) -> None:
    page = ROOT / "docs" / "chat.md"
    (file,) = [block.body for block in blocks(page) if block.options.get("file") == "greenroom.yaml"]
    (talk,) = [block.body for block in blocks(page) if "talk" in block.options]
    greenroom.write("greenroom.yaml", file)
    said = [line.removeprefix("you    ") for line in talk.splitlines() if line.startswith("you")]
    ended = greenroom.feed("\n".join(said), "chat", "--test", "Books a visit")
    # A command is not echoed where lines are piped in.
    assert ended.out.splitlines() == [line for line in talk.splitlines() if not line.startswith("you    /")]
