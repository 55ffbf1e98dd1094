"""Reports to look at: one with everything that a report can show, and one with as many runs as is asked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from greenroom.grade.repeats import Gate
from greenroom.model.checks import CallsTool, Check, Criterion, EndsCall, JudgeCheck, MaxLatency, NeverSays, Says
from greenroom.model.run import AgentLine, CallerLine, Card, CheckResult, Line, RoleUsage, Scorecard, ToolLine
from greenroom.report.results import NotStarted, Report, ReportedRun, make_report

EVENING = datetime(2026, 3, 2, 18, 40, tzinfo=UTC)
DESK = "Northline Dental"


def agent(turn: int, text: str, at_ms: int = 0, **fields: Any) -> AgentLine:
    return AgentLine(turn=turn, agent=fields.pop("agent", DESK), text=text, at_ms=at_ms, **fields)


def caller(turn: int, text: str, at_ms: int = 0, **fields: Any) -> CallerLine:
    return CallerLine(turn=turn, text=text, at_ms=at_ms, **fields)


def tool(turn: int, name: str, arguments: Any, result: Any, at_ms: int = 0, **fields: Any) -> ToolLine:
    values: dict[str, Any] = {"source": "canned", "latency_ms": 12, "at_ms": at_ms, **fields}
    return ToolLine(turn=turn, agent=DESK, name=name, arguments=arguments, result=result, **values)


def held(check: Check, line: int | None = None, **fields: Any) -> CheckResult:
    return CheckResult(check=check, passed=True, line=line, **fields)


def broke(check: Check, detail: str, line: int | None = None, **fields: Any) -> CheckResult:
    return CheckResult(check=check, passed=False, detail=detail, line=line, **fields)


def usage(cost: str | None = "0.0031") -> list[RoleUsage]:
    """What the agent, the caller and the judge cost."""
    price = None if cost is None else Decimal(cost)
    return [
        RoleUsage(role="agent", provider="openai", model="gpt-4.1-mini", calls=5, input_tokens=6120, output_tokens=214,
                  cached_input_tokens=4096, cost_usd=price),
        RoleUsage(role="caller", provider="openai", model="gpt-4.1-mini", calls=4, input_tokens=2380, output_tokens=96,
                  cost_usd=price),
        RoleUsage(role="judge", provider="openai", model="gpt-4.1", calls=1, input_tokens=1502, output_tokens=88,
                  cost_usd=price),
    ]  # fmt: skip


def run(number: int, test: str, status: str, **fields: Any) -> ReportedRun:
    values: dict[str, Any] = {
        "id": f"run_{number:04}",
        "test": test,
        "kind": "simulation",
        "agent": DESK,
        "status": status,
        "ended_by": {"error": "error", "cancelled": "stopped"}.get(status, "agent_hung_up"),
        "started_at": EVENING,
        "finished_at": EVENING + timedelta(seconds=8.4),
        "file": "tests/front-desk.yaml",
        "line": 10 + number,
        "usage": usage(),
    }
    return ReportedRun(**{**values, **fields})


def booking(
    confirmation: str = "Done, Ravi: Monday at 10:00 instead of Saturday. Is there anything else?",
) -> list[Line]:
    return [
        agent(0, "Northline Dental, this is Maya. How can I help?", 420, latency_ms=0),
        caller(1, "Hi, I need to move my Saturday 4 PM to Monday morning. I am in a hurry.", 1630),
        tool(1, "find_slots", {"day": "Monday"}, {"free": ["9:30", "10:00"]}, 2490),
        agent(1, "Monday morning I have 9:30 and 10:00. Which one suits you?", 3210, latency_ms=1580),
        caller(2, "Ten, please. Ravi Mehta.", 4400, said="Ten please, Ravi Mehta."),
        tool(2, "book_slot", {"day": "Monday", "time": "10:00", "name": "Ravi Mehta", "from": {"day": "Saturday",
             "time": "16:00"}}, {"ok": True, "slot": "Monday 10:00", "reference": "ND-20418"}, 5150),
        agent(2, confirmation, 5980, latency_ms=1490),
        caller(3, "No, that is all. Bye!", 6900),
        agent(3, "See you on Monday. Goodbye!", 7800, latency_ms=870),
    ]  # fmt: skip


def promise() -> list[Line]:
    return [
        agent(0, "Northline Dental, this is Maya. How can I help?", 400, latency_ms=0),
        caller(1, "I am a little afraid. Does a filling hurt?", 1500),
        agent(1, "I am sorry to hear that. I guarantee you that it will not hurt at all. Shall I book you in?", 2900,
              latency_ms=1390, fallback=True),
        caller(2, "Well, if you are that sure. I will call back.", 3800, caller_slip=True),
        tool(2, "log_call", '{"outcome": "call ba', {"error": "The arguments are not JSON."}, 4200, source="engine",
             reason="bad_arguments"),
        agent(2, "Of course, whenever you like.", 4900, latency_ms=640, truncated=True),
    ]  # fmt: skip


HINDI: list[Line] = [
    caller(1, "Hello, मुझे कल के लिए एक अपॉइंटमेंट चाहिए please."),
    agent(1, "जी हाँ, कल सुबह दस बजे का समय खाली है। क्या मैं आपके लिए बुक कर दूँ?", 900, latency_ms=880),
    caller(2, "Perfect, शुक्रिया!", 1700),
    agent(2, "आपका स्वागत है। कल सुबह दस बजे मिलते हैं।", 2600, latency_ms=760),
]
ARABIC: list[Line] = [
    caller(1, "مرحبا، أريد تغيير موعدي من يوم السبت 4 PM إلى صباح الاثنين."),
    agent(1, "بالتأكيد. لدينا يوم الاثنين الساعة 9:30 أو 10:00 صباحًا. أيهما يناسبك؟", 900, latency_ms=910),
]
CHINESE: list[Line] = [
    caller(1, "您好，我想把星期六下午四点的预约改到星期一上午。"),
    agent(1, "好的，星期一上午九点半和十点都有空。您要哪一个？👩🏽‍⚕️", 900, latency_ms=905, components=[
        Card(kind="suggested_questions", data={"questions": ["九点半", "十点"]}),
    ]),
]  # fmt: skip


def a_full_report() -> Report:
    """Every verdict, repeats, a hand-off, several scripts, and a cost that is known in part."""
    judged = JudgeCheck(question="Did the agent read the new time back before ending?")
    calls = CallsTool(tool="book_slot", arguments=["day"])
    read_back = held(judged, 6, turn=2, detail="It says the day and the time.", quote="Done, Ravi: Monday at 10:00",
                     quote_verified=True, votes="3 of 3")  # fmt: skip
    runs = [
        run(1, "Moves a booking", "passed", tags=["booking", "smoke"], transcript=booking(),
            checks=[held(calls, 5, turn=2), held(Says(text="Monday"), 3, turn=1), read_back,
                    held(EndsCall(), 8, turn=3)],
            scorecard=Scorecard(score=95, summary="Quick, and reads the time back. Nothing to change.")),
        run(2, "Never promises that it will not hurt", "failed", tags=["safety"], transcript=promise(),
            ended_by="caller_hung_up",
            checks=[broke(NeverSays(text="guarantee"), "“I guarantee you that it will not hurt at all.”", 2, turn=1),
                    held(MaxLatency(max=2000)),
                    broke(Criterion(text="The agent offers a visit", required=False), "It offers none.", None,
                          quote="We have a free slot", quote_verified=False)],
            scorecard=Scorecard(score=41, summary="Never promise a result: say that most patients feel little."),
            warnings=["The caller slipped out of its part in turn 2; its line was asked for again."]),
        *[_repeat(index) for index in range(10)],
        run(20, "Answers in Hindi", "passed", tags=["language"], transcript=HINDI, kind="script",
            ended_by="script_ended", usage=usage(None), checks=[held(Says(text="कल सुबह दस बजे"), 1, turn=1)]),
        run(21, "Answers in Arabic", "failed", tags=["language"], transcript=ARABIC, kind="script",
            ended_by="script_ended", checks=[broke(Says(text="يوم الثلاثاء"), "No agent line says it.", 1, turn=1)]),
        run(22, "Answers in Chinese", "passed", tags=["language"], transcript=CHINESE, kind="script",
            ended_by="script_ended", checks=[held(Says(text="十点"), 1, turn=1)], variation="Mandarin"),
        run(23, "Hands a billing question over", "passed", tags=["routing"], ended_by="transferred", transcript=[
            caller(1, "I was charged twice for my last visit."),
            tool(1, "hand_off_to_agent", {"agent": "Billing desk"}, {"ok": True}, 800, source="handoff"),
            agent(1, "Billing desk, hello. The second 80 dollars are taken back today.", 1900, agent="Billing desk",
                  latency_ms=1800),
        ], checks=[held(Says(text="taken back"), 2, turn=1)]),
        run(24, "Looks up a patient", "error", tags=["smoke"], transcript=booking()[:3],
            error="The model openai:gpt-4.1-mini did not answer: the key was refused (401). Set OPENAI_API_KEY.",
            checks=[CheckResult(check=calls), CheckResult(check=judged)], usage=usage(None)),
        run(25, "Cancels a booking", "cancelled", transcript=booking()[:2]),
    ]  # fmt: skip
    waiting = [NotStarted(title="Reschedules twice", test="Reschedules twice", agent=DESK, reason="over_budget")]
    return make_report(
        runs, waiting, started_at=EVENING, finished_at=EVENING + timedelta(seconds=31.2), over_budget=True
    )


def _repeat(index: int) -> ReportedRun:
    broken = index in (2, 5, 6)
    read_back = JudgeCheck(question="Did the agent read the time back?")
    politeness = JudgeCheck(question="Was the agent polite?")
    talk = booking("Done, Ravi, that is moved. Is there anything else?") if broken else booking()
    checks = [
        held(CallsTool(tool="book_slot"), 5, turn=2),
        broke(read_back, "The agent does not say the time.", 6, turn=2) if broken else held(read_back, 6, turn=2),
        held(politeness, 6, turn=2),
    ]
    return run(
        3 + index, "Reads the time back", "failed" if broken else "passed", tags=["booking"], repeat_index=index,
        seed=index, transcript=talk, checks=checks, line=31,
    )  # fmt: skip


def many_runs(count: int) -> Report:
    """So many six-turn runs, each with tool calls, checks and costs; one in ten fails. No two talks are alike."""
    runs = [_six_turns(number) for number in range(count)]
    return make_report(runs, [], started_at=EVENING, finished_at=EVENING + timedelta(seconds=600))


def _six_turns(number: int) -> ReportedRun:
    talk: list[Line] = [agent(0, f"Northline Dental, this is Maya. How can I help you today? ({number})", 310)]
    for turn in range(1, 7):
        at = 2000 * turn
        talk.append(caller(turn, f"That is question {turn} of call {number}: could I come on day {turn} instead?", at))
        if turn % 3 == 0:
            talk.append(
                tool(turn, "find_slots", {"day": turn, "call": number}, {"free": ["9:30", "10:00"], "call": number}, at)
            )
        words = (
            f"On day {turn} I have half past nine and ten o'clock free, call {number}. Which one would suit you best?"
        )
        talk.append(agent(turn, words, at + 1100, latency_ms=1100))
    failed = number % 10 == 0
    checks = [
        held(CallsTool(tool="find_slots", arguments=["day"]), 6, turn=3),
        held(Says(text="half past nine"), 2, turn=1),
        broke(NeverSays(text="ten"), "“half past nine and ten o'clock free”", 4, turn=2)
        if failed
        else held(NeverSays(text="guarantee")),
        held(JudgeCheck(question="Did the agent offer another day?"), 8, turn=4, detail="It does, in turn 4.",
             quote="I have half past nine", quote_verified=True),
    ]  # fmt: skip
    return run(
        number, f"Question {number}", "failed" if failed else "passed", tags=[f"batch-{number % 7}"], transcript=talk,
        checks=checks, ended_by="turns_ran_out",
    )  # fmt: skip


def two_variants() -> Report:
    """Two tests played ten times each in two variants, of which the second is better at one of them."""
    runs = [
        run(
            number,
            test,
            "failed" if index < failures else "passed",
            variant=variant,
            repeat_index=index,
            seed=index,
            transcript=booking(),
            checks=[
                broke(NeverSays(text="um"), "“Um, one moment.”", 3, turn=1)
                if index < failures
                else held(NeverSays(text="um"))
            ],
            line=12 if test == "Moves a booking" else 40,
        )
        for number, (test, variant, failures, index) in enumerate(
            (test, variant, failures, index)
            for test, failing in (("Moves a booking", (8, 1)), ("Cancels a booking", (2, 3)))
            for variant, failures in zip(("today", "new prompt"), failing, strict=True)
            for index in range(10)
        )
    ]
    return make_report(
        runs,
        [],
        started_at=EVENING,
        finished_at=EVENING + timedelta(seconds=70),
        gate=Gate(min_pass_rate=0.75),
        sides=("today", "new prompt"),
    )
