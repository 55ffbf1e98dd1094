from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.program import Greenroom
from tests.support.sample_files import a_file

POLITE = "Was the agent polite?"
JUDGED = f"""
  - name: Is told the hours
    caller: {{messages: [When do you open?]}}
    checks:
      - {{type: says, text: nine}}
      - {{type: judge, question: "{POLITE}"}}
  - name: Is told more
    caller: {{messages: [When do you open?]}}
    checks:
      - {{type: judge, question: Was the price said?}}
"""
JUDGE = """      - {role: judge, when: polite, answer: "yes", reason: It greets.}
      - {role: judge, answer: "no", reason: No price is said., quote: We are open from nine}
"""


@pytest.fixture
def judged(greenroom: Greenroom) -> Greenroom:
    """Two runs: one whose judge says yes, and one whose judge says no, with a report of them."""
    greenroom.write("greenroom.yaml", a_file(JUDGED).replace("tests:\n", f"{JUDGE}tests:\n", 1))
    assert greenroom.run("run", "--report-json", "report.json").code == 1
    return greenroom


def labels_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run_id(greenroom: Greenroom, test: str) -> str:
    report = json.loads((greenroom.folder / "report.json").read_text(encoding="utf-8"))
    return next(run["id"] for run in report["runs"] if run["test"] == test)


def test_the_most_doubtful_answer_comes_first_with_the_line_that_it_rests_on(judged: Greenroom) -> None:
    ended = judged.feed("r\nw\n", "label", "report.json")
    assert ended.code == 0, ended.everything
    first = ended.out[: ended.out.index("2 of 2")]
    assert "Is told more" in first
    assert "Judge says  no" in first
    assert "No price is said." in first
    marked = next(line for line in first.splitlines() if line.startswith("►"))
    assert "We are open from nine to six." in marked
    assert "2 labels: the judge was right in 1." in ended.out
    assert [(label["question"], label["right"]) for label in labels_in(judged.folder / "labels.jsonl")] == [
        ("Was the price said?", True),
        (POLITE, False),
    ]


def test_what_has_a_label_is_not_asked_again_and_what_was_answered_stays_when_one_leaves(judged: Greenroom) -> None:
    judged.feed("r\n", "label", "report.json")
    again = judged.feed("q\n", "label", "report.json")
    assert "1 answer has a label already" in again.err
    assert "1 of 1" in again.out
    assert "No label was given." in again.out
    assert "1 of 2" in judged.feed("", "label", "report.json", "--again").out
    assert len(labels_in(judged.folder / "labels.jsonl")) == 1


def test_an_answer_can_be_skipped_noted_looked_at_whole_and_gone_back_to(judged: Greenroom) -> None:
    ended = judged.feed("\nb\nhuh\nt\nn\nNo word of it.\nw\nq\n", "label", "report.json")
    (label,) = labels_in(judged.folder / "labels.jsonl")
    assert (label["question"], label["note"], label["right"]) == ("Was the price said?", "No word of it.", False)
    assert "Type r, w, n, t, b or q" in ended.err


def test_scripts_label_by_run_and_number_and_the_last_word_counts(judged: Greenroom) -> None:
    polite = f"{run_id(judged, 'Is told the hours')}:2"
    more = f"{run_id(judged, 'Is told more')}:1"
    ended = judged.run(
        "label", "report.json", "--set", f"{polite}=wrong", "--set", f"{more}=right", "--note", "by hand"
    )
    assert ended.code == 0, ended.everything
    judged.run("label", "report.json", "--set", f"{polite}=right")
    shown = judged.run("label", "--show", "--json").json
    assert shown["all"]["labels"] == 2
    assert shown["all"]["right"] == 2
    assert len(labels_in(judged.folder / "labels.jsonl")) == 3


def test_show_puts_the_worst_question_first_and_tells_lenient_from_strict(greenroom: Greenroom) -> None:
    rows = (
        [("Good?", True, True)] * 9 + [("Good?", False, False)] + [("Bad?", True, False)] * 3 + [("Bad?", False, True)]
    )
    lines = [json.dumps({"question": q, "judge": judge, "right": right}) for q, judge, right in rows]
    greenroom.write("labels.jsonl", "\n".join(lines) + '\n{"question": "cut o')
    ended = greenroom.run("label", "--show")
    assert ended.code == 0
    bad, good, together = [line.split() for line in ended.out.splitlines()[1:4]]
    assert bad[:5] == ["Bad?", "25%", "1", "of", "4"]
    assert bad[-2:] == ["3", "0"]
    assert good[:5] == ["Good?", "90%", "9", "of", "10"]
    assert good[-2:] == ["0", "1"]
    assert together[:2] == ["All", "questions"]
    assert "labels.jsonl:15:1: this line is no label" in ended.err
    assert "fewer than 10 labels" in ended.out


def test_a_label_after_one_that_was_cut_off_is_kept(judged: Greenroom) -> None:
    judged.write("labels.jsonl", '{"question": "cut o')
    judged.feed("r\n", "label", "report.json")
    shown = judged.run("label", "--show", "--json")
    assert shown.json["all"]["labels"] == 1
    assert "labels.jsonl:1:1" in shown.err


def test_a_failure_shows_how_often_the_judge_was_right_on_its_question(judged: Greenroom) -> None:
    judged.run("label", "report.json", "--set", f"{run_id(judged, 'Is told more')}:1=wrong")
    again = judged.run("run", "--report-json", "again.json")
    assert "(the judge was right in 0 of 1 labels" in again.out
    report = json.loads((judged.folder / "again.json").read_text(encoding="utf-8"))
    known = {run["test"]: [one["question"] for one in run["agreements"]] for run in report["runs"]}
    assert known == {"Is told the hours": [], "Is told more": ["Was the price said?"]}


def test_labels_may_lie_elsewhere(judged: Greenroom) -> None:
    judged.feed("r\n", "label", "report.json", "--labels", "people/anna.jsonl")
    assert not (judged.folder / "labels.jsonl").exists()
    assert judged.run("label", "--show", "people/anna.jsonl").code == 0


def test_with_json_the_labels_come_as_data(judged: Greenroom) -> None:
    result = judged.feed("r\n", "label", "report.json", "--json").json
    assert [label["right"] for label in result["labels"]] == [True]
    assert result["written_to"] == "labels.jsonl"


def test_at_a_terminal_ctrl_c_ends_and_keeps_what_was_said(judged: Greenroom) -> None:
    terminal = judged.on_a_terminal("label", "report.json", columns=100)
    terminal.read_until("quit (q)?")
    terminal.type("r\n")
    terminal.read_until("quit (q)?", 2)
    terminal.type("half")
    terminal.read_until("half")
    terminal.interrupt_at_a_question()
    assert terminal.wait() == 0
    assert len(labels_in(judged.folder / "labels.jsonl")) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["label"], "Name one report"),
        (["label", "report.json", "greenroom.yaml"], "Name one report"),
        (["label", "greenroom.yaml"], "is not JSON"),
        (["label", "nowhere.json"], "nowhere.json"),
        (["label", "report.json", "--set", "x"], "write RUN_ID:CHECK=right or wrong"),
        (["label", "report.json", "--set", "x:1=right"], "there is no such run"),
        (["label", "report.json", "--set", "run_:1=right"], "2 runs of report.json start so"),
        (["label", "report.json", "--set", "run_:1=maybe"], "neither `right` nor `wrong`"),
        (["label", "report.json", "--note", "x"], "--note goes with --set"),
        (["label", "--show", "--set", "a:1=right"], "take --set"),
        (["label", "--show"], "There is no labels.jsonl here"),
        (["label", "--show", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["label", "--show", "report.json"], "There are no labels"),
        (["label", "report.json", "--labels", "greenroom.yaml/x", "--set", "SELF:2=right"], "--labels"),
    ],
)
def test_mistakes_are_told_in_a_sentence(judged: Greenroom, words: list[str], sentence: str) -> None:
    filled = [word.replace("SELF", run_id(judged, "Is told the hours")) for word in words]
    ended = judged.run(*filled)
    assert ended.code == 2, ended.everything
    assert sentence in ended.err


def test_a_check_that_no_judge_decided_cannot_be_labelled(judged: Greenroom) -> None:
    ended = judged.run("label", "report.json", "--set", f"{run_id(judged, 'Is told the hours')}:1=right")
    assert ended.code == 2
    assert "no judge decided this check (says)" in ended.err
