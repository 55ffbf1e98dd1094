from __future__ import annotations

from decimal import Decimal

from tests.support.runs import a_failed_run, a_report, a_run, a_usage, not_started


def test_the_sums_count_every_run_by_what_became_of_it() -> None:
    runs = [a_run(), a_run(), a_failed_run(), a_run("error"), a_run("cancelled")]
    summary = a_report(*runs, not_started=[not_started()]).summary
    counts = (summary.runs, summary.passed, summary.failed, summary.errors, summary.cancelled, summary.not_started)
    assert counts == (5, 2, 1, 1, 1, 1)
    assert (summary.checks_passed, summary.checks) == (1, 3)
    assert summary.seconds == 2.0


def test_tokens_and_costs_add_up_over_runs_and_roles() -> None:
    run = a_run(usage=[a_usage("0.10"), a_usage("0.05", role="judge")])
    summary = a_report(run, run).summary
    assert (summary.input_tokens, summary.output_tokens) == (4800, 136)
    assert summary.cost_usd == Decimal("0.30")
    assert summary.cost_complete
    assert not summary.tokens_estimated


def test_one_unknown_price_makes_the_cost_incomplete_and_keeps_the_known_part() -> None:
    summary = a_report(a_run(usage=[a_usage("0.10")]), a_run(usage=[a_usage(None, estimated=True)])).summary
    assert summary.cost_usd == Decimal("0.10")
    assert not summary.cost_complete
    assert summary.tokens_estimated


def test_a_report_says_which_greenroom_made_it() -> None:
    version = a_report().greenroom_version
    assert version
    assert version != "unknown"
