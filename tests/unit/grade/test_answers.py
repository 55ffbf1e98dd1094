"""Reading the judge's answers: lenient about the writing, strict about what is said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.grade.answers import BrokenAnswer, read_answer, read_scorecard

PLAIN = '{"answer": "yes", "reason": "It did.", "quote": "Monday"}'


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"Here is my judgement:\n{PLAIN}\nI hope it helps {{really}}.",
        f"[{PLAIN}]",
        f"<think>the caller said {{}} so no</think>{PLAIN}",
        '{"answer": "yes", "reason": "It did.", "quote": "Monday",}',
        '{"answer": true, "reason": "It did.", "quote": "Monday"}',
        "{'x'} " + PLAIN,
        '{"Answer": "YES.", "Reason": "It did.", "Quote": "Monday"}',
        '{"answer": "True", "reason": "It did.", "quote": ["Monday"]}',
        'Answer: {"answer": True, "reason": "It did.", "quote": "Monday"}',
        json.dumps(PLAIN),
        f"{PLAIN}\n\nTo repeat: {PLAIN}",
    ],
)
def test_a_yes_is_read_in_any_wrapping(text: str) -> None:
    answer = read_answer(text)
    assert (answer.yes, answer.reason, answer.quote) == (True, "It did.", "Monday")


@pytest.mark.parametrize("word", ['"no"', '"No."', "false", '"False"', '" NO "', '"n"'])
def test_a_no_is_read_in_any_writing(word: str) -> None:
    assert read_answer(f'{{"answer": {word}, "reason": ""}}').yes is False


def test_commas_and_python_words_inside_text_are_left_alone() -> None:
    answer = read_answer('{"answer": "no", "reason": "It said True, } and None,]", "quote": null,}')
    assert answer.reason == "It said True, } and None,]"
    assert answer.quote == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON object"),
        ("Yes, it did.", "no JSON object"),
        ('{"answer": "yes", "reason": "It di', "no JSON object"),
        ('{"answer": "maybe", "reason": "x"}', "neither yes nor no"),
        ('{"answer": "yes and no", "reason": "x"}', "neither yes nor no"),
        ('{"answer": 1, "reason": "x"}', "neither yes nor no"),
        ('{"answer": null, "reason": "x"}', "neither yes nor no"),
        ('{"answer": "yes"}', "`reason` is missing"),
        ('{"answer": "yes", "reason": {"a": 1}}', "`reason` is no text"),
        ('{"verdict": "yes", "reason": "x"}', "no JSON object with `answer`"),
        ('{"answer": "yes", "answer": "no", "reason": "x"}', "given twice"),
        ('{"answer": "yes", "reason": "x"} {"answer": "no", "reason": "x"}', "contradict"),
        ('[{"answer": "yes", "reason": "x"}, {"answer": "no", "reason": "y"}]', "contradict"),
        ("[" * 100_000, "no JSON object"),
        ("{" * 100_000, "no JSON object"),
    ],
)
def test_an_answer_that_is_broken_or_contradicts_itself_is_refused(text: str, words: str) -> None:
    with pytest.raises(BrokenAnswer, match=words):
        read_answer(text)


@given(st.text())
def test_text_that_is_no_answer_is_refused_and_breaks_nothing(text: str) -> None:
    if "answer" not in text.casefold():
        with pytest.raises(BrokenAnswer):
            read_answer(text)
    if "criteria" not in text.casefold():
        with pytest.raises(BrokenAnswer):
            read_scorecard(text, 2)


@given(st.booleans(), st.text(), st.text(), st.text(st.characters(exclude_characters='{}[]"<'), max_size=50))
def test_every_well_formed_answer_is_read_as_it_is(yes: bool, reason: str, quote: str, around: str) -> None:
    written = json.dumps({"answer": "yes" if yes else "no", "reason": reason, "quote": quote})
    if "think" not in written and "reasoning" not in written:
        answer = read_answer(f"{around}{written}{around}")
        assert (answer.yes, answer.reason, answer.quote) == (yes, reason.strip(), quote.strip())


def entry(number: object, met: object = True) -> dict[str, object]:
    return {"number": number, "met": met, "reason": "r", "quote": ""}


def scorecard(criteria: object, score: object = 82, **more: object) -> str:
    return json.dumps({"criteria": criteria, "score": score, "summary": "Be shorter.", **more})


def test_criteria_come_back_in_their_own_order() -> None:
    card = read_scorecard(scorecard([entry(2, False), entry(1)]), 2)
    assert [answer.yes for answer in card.criteria] == [True, False]
    assert (card.score, card.summary) == (82, "Be shorter.")


@pytest.mark.parametrize(
    "criteria", [[entry("1")], [entry(1.0)], {"1": {"met": "yes", "reason": "r"}}, entry(1), [entry(1, "true")]]
)
def test_a_criterion_is_read_in_any_writing(criteria: object) -> None:
    assert read_scorecard(scorecard(criteria), 1).criteria[0].yes is True


@pytest.mark.parametrize(
    ("score", "read"), [(82, 82), (82.0, 82), ("82", 82), ("82/100", 82), ("82%", 82), (82.5, 83), (0, 0), (100, 100)]
)
def test_a_score_is_read_in_any_writing(score: object, read: int) -> None:
    assert read_scorecard(scorecard([entry(1)], score), 1).score == read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (scorecard([entry(1)]), "criterion 2 is missing"),
        (scorecard([entry(1), entry(1)]), "criterion 1 is answered twice"),
        (scorecard([entry(1), entry(2), entry(3)]), "there is no criterion 3"),
        (scorecard([entry(1), entry(None)]), "no `number`"),
        (scorecard([entry(1), entry(1.5)]), "no `number`"),
        (scorecard([entry(1), "yes"]), "no JSON object"),
        (scorecard([entry(1), entry(2, None)]), "`met` is neither yes nor no"),
        (scorecard("all met"), "`criteria` is no list"),
        (scorecard([entry(1), entry(2)], 101), "not from 0 to 100"),
        (scorecard([entry(1), entry(2)], -1), "not from 0 to 100"),
        (scorecard([entry(1), entry(2)], "good"), "`score` is no number"),
        (scorecard([entry(1), entry(2)], True), "`score` is no number"),
        (scorecard([entry(1), entry(2)], None), "`score` is no number"),
        ('{"criteria": [], "score": 90, "summary": ""}', "criterion 1, 2 is missing"),
        (json.dumps({"criteria": [entry(1), entry(2)], "score": 90}), "`summary` is missing"),
        (scorecard([entry(1), entry(2)])[:-20], "no JSON object"),
        (scorecard([entry(1), entry(2)]) + scorecard([entry(1), entry(2, False)]), "two scorecards"),
        (scorecard([entry(1), entry(2)]).replace("82", "NaN"), "`score` is no number"),
    ],
)
def test_an_incomplete_scorecard_is_refused(text: str, words: str) -> None:
    with pytest.raises(BrokenAnswer, match=words):
        read_scorecard(text, 2)
