"""What a caller's line must not be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.marker import HANG_UP
from greenroom.play.guard import LONGEST, clean, slip

MARKERS = [
    "[HANG UP]", "[hang up]", "[Hangs up]", "[HANGUP]", "[HANG_UP]", "[hang-up]", "(hangs up)", "*hangs up*",
    "<hang_up>",
    "<HANG UP/>", "</hang up>", "**[HANG UP]**", "`[HANG UP]`", "[HANG UP].", "[END CALL]", "[end of call]",
    "(ends the call)",
    "[call ended]", "{HANG UP}", "【HANG UP】", "[hung up]", "(I hang up)", "*ends call*",
    "[disconnects]", "[ HANG UP ]",
]  # fmt: skip


@pytest.mark.parametrize("marker", MARKERS)
def test_a_hang_up_marker_is_recognised_in_its_usual_distortions_and_never_shows(marker: str) -> None:
    line = clean(f"Fine, thanks, bye! {marker}")
    assert line.hangs_up
    assert line.text == "Fine, thanks, bye!"


@pytest.mark.parametrize("marker", [*MARKERS, "hang up", "HANG UP", "Hangs up."])
def test_a_bare_marker_leaves_no_words(marker: str) -> None:
    line = clean(marker)
    assert line.hangs_up
    assert line.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "Please don't hang up on me.",
        "I was about to hang up.",
        "Did the last guy hang up? He ended the call.",
        "Can you end the call when we are done, please?",
    ],
)
def test_talking_about_hanging_up_is_not_hanging_up(text: str) -> None:
    line = clean(text)
    assert not line.hangs_up
    assert line.text == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ('"Hi, I need to move my booking."', "Hi, I need to move my booking."),
        ("“Hallo, ich brauche einen Termin.”", "Hallo, ich brauche einen Termin."),
        ("«Bonjour.»", "Bonjour."),
        ("「予約を変更したいです。」", "予約を変更したいです。"),
        ("Caller: Hi there.", "Hi there."),
        ("**Caller:** Hi there.", "Hi there."),
        ("User: I want Monday.", "I want Monday."),
        ('Caller: "Hi there."', "Hi there."),
        ("(sighs) I already told you.", "I already told you."),
        ("*pauses* Fine.", "Fine."),
        ("Fine [long pause] then Monday.", "Fine then Monday."),
        ("<think>I am Ravi.</think>Monday works.", "Monday works."),
        ("<think>I am Ravi and never close this", ""),
        ("  Two\nlines  ", "Two lines"),
        ('He said "no" and "never".', 'He said "no" and "never".'),
        ("मेरे मोहल्ले में कचरा पड़ा है!", "मेरे मोहल्ले में कचरा पड़ा है!"),
        ("أريد تغيير موعدي", "أريد تغيير موعدي"),
        ("👍", "👍"),
    ],
)
def test_labels_quotes_thinking_and_stage_directions_are_taken_off(raw: str, text: str) -> None:
    assert clean(raw).text == text


def _slip(raw: str, reply: str = "Which day suits you?", own: list[str] | None = None) -> str:
    return slip(raw, clean(raw), reply, own or [])


@pytest.mark.parametrize(
    "raw",
    [
        "Agent: Which day suits you?",
        "Assistant: Sure, I can do that.",
        "Hi.\nAgent: Hello, how are you?",
        "Monday.\n\nAgent: Great.\nCaller: Thanks.",
        "How can I help you today?",
        "Thank you for calling Northline Dental.",
        "Is there anything else I can help you with?",
        "As an AI, I cannot book.",
        "The caller would now give the order number.",
        "I should respond as Ravi, who is in a hurry.",
        "As the caller, I would ask for Monday.",
        "My next line should be short.",
        "(sighs)",
        "*silence*",
        "",
        "   ",
        "<think>The agent asked for a day.</think>",
    ],
)
def test_a_line_that_is_no_callers_line_is_a_slip(raw: str) -> None:
    assert _slip(raw)


def test_repeating_the_agents_line_is_a_slip() -> None:
    assert _slip("Which day would suit you best this week", "Which day would suit you best this week?")
    assert _slip("which DAY would suit you best, this week?!", "Which day would suit you best this week?")


def test_repeating_the_callers_own_last_line_is_a_slip() -> None:
    assert _slip("I want to move my booking to Monday.", own=["I want to move my booking to Monday"])


@pytest.mark.parametrize(
    "raw",
    [
        "Monday, please.",
        "Yes.",
        "I need help with my order.",
        "Can you help me?",
        "You said Monday at ten, is that right?",
        "Bye! [HANG UP]",
        "[HANG UP]",
        "Meri gaadi kharab hai, jaldi bhejo kisi ko.",
        "我想改到星期一。",
    ],
)
def test_an_ordinary_line_is_no_slip(raw: str) -> None:
    assert _slip(raw) == ""


def test_short_answers_may_repeat() -> None:
    assert _slip("Yes.", own=["Yes."]) == ""


@given(st.text(max_size=300))
def test_cleaning_never_fails_and_is_stable(raw: str) -> None:
    once = clean(raw)
    assert HANG_UP.lower() not in once.text.lower()
    assert once.text == once.text.strip()


@given(st.text(alphabet=st.characters(categories=["L", "Nd", "Zs"]), max_size=80))
def test_plain_words_survive_cleaning(words: str) -> None:
    text = " ".join(words.split())
    if not text.casefold().endswith(("hang up", "end call", "hangup")) and "call" not in text.casefold():
        assert clean(text).text == text or clean(text).hangs_up


@pytest.mark.parametrize(
    "part", ["*", "[", "(", " ", "\n", "`", "_", "[ ", "the ", "call ", "caller:", '"', ".\n", "<"]
)
def test_a_model_that_writes_the_same_sign_without_end_holds_nobody_up(part: str) -> None:
    raw = part * 100_000
    line = clean(raw)
    assert len(line.text) <= LONGEST
    assert isinstance(slip(raw, line, part * 4_000, [part * 1_000]), str)


@pytest.mark.parametrize("words", ["xy z ", "I see, ", "yes yes no "])
def test_long_lines_of_few_words_are_compared_too(words: str) -> None:
    line = words * (1_000 // len(words))
    assert slip(line, clean(line), f"{line}Hm.", []) != ""
    assert slip(line, clean(line), "Something else entirely, said at some length. " * 20, []) == ""
