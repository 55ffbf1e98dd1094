"""What `greenroom projects` and `greenroom credits` do."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from greenroom.cli.exits import ExitCode
from greenroom.cli.serve_commands import access_to, with_context
from greenroom.cli.serve_extra import print_result
from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from greenroom.server.context import Context

_MILLION = 1_000_000
_MOST = Decimal(1_000_000_000)
_ROWS = 10


def run_create_project(name: str, *, owner: str | None, data: Path | None, as_json: bool) -> int:
    """Make a project."""

    async def create(context: Context) -> dict[str, Any]:
        from greenroom.server.accounts import members

        return await members.make_project(context, name, owner)

    made = with_context(data, create)
    print_result(made, f"The project {made['name']} is there. Its id is {made['id']}.", as_json=as_json)
    return ExitCode.ALL_PASSED


def run_list_projects(*, data: Path | None, as_json: bool) -> int:
    """List all projects."""

    async def find(context: Context) -> list[dict[str, Any]]:
        from greenroom.server.projects import service as projects

        return await projects.list_all(context)

    rows = with_context(data, find)
    print_result({"items": rows}, "\n".join(f"{row['id']}  {row['name']}" for row in rows), as_json=as_json)
    return ExitCode.ALL_PASSED


def run_add_credits(amount: str, *, project: str, note: str, data: Path | None, as_json: bool) -> int:
    """Add credits, or take some."""
    micro = _micro(amount)

    async def add(context: Context) -> dict[str, Any]:
        from greenroom.server.credits import service as credits

        access = await access_to(context, project)
        return await credits.correct(context, access, micro, note)

    standing = with_context(data, add)
    print_result(_standing(standing), f"{project} has {_told(standing)}.", as_json=as_json)
    return ExitCode.ALL_PASSED


def run_show_credits(*, project: str, data: Path | None, as_json: bool) -> int:
    """Show how a project stands."""

    async def find(context: Context) -> tuple[dict[str, Any], list[dict[str, Any]], bool]:
        from greenroom.server.credits import service as credits
        from greenroom.server.paging import Wish

        access = await access_to(context, project)
        standing = await credits.show(context, access.project_id)
        ledger = await credits.show_ledger(context, access.project_id, Wish(_ROWS))
        async with context.database.reading() as session:
            is_balanced = await credits.is_balanced(session, access.project_id)
        return standing, ledger["items"], is_balanced

    standing, rows, is_balanced = with_context(data, find)
    currency = standing["currency"]
    lines = [
        f"{project} has {_told(standing)}.",
        f"This month: {_money(standing['month_spent'], currency)} spent"
        + (f" of {_money(standing['monthly_budget'], currency)}" if standing["monthly_budget"] is not None else ""),
        "The ledger sums to the balance." if is_balanced else "The ledger does NOT sum to the balance: report this.",
        *(_row(row, currency) for row in rows),
    ]
    shown = {**_standing(standing), "is_balanced": is_balanced}
    shown["ledger"] = [{**row, "amount": row["amount"] / _MILLION} for row in rows]
    print_result(shown, "\n".join(lines), as_json=as_json)
    return ExitCode.ALL_PASSED


def _micro(text: str) -> int:
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        amount = Decimal("NaN")
    micro = amount * _MILLION
    if not amount.is_finite() or amount == 0 or abs(amount) > _MOST or micro != micro.to_integral_value():
        raise UserMistake(f"`{text}` is no amount: write for example 25 or 0.50, with at most six decimals")
    return int(micro)


def _standing(standing: dict[str, Any]) -> dict[str, Any]:
    names = ("balance", "held", "available", "month_spent", "monthly_budget", "batch_cap")
    amounts = {name: None if standing[name] is None else standing[name] / _MILLION for name in names}
    return {"currency": standing["currency"], **amounts}


def _told(standing: dict[str, Any]) -> str:
    currency = standing["currency"]
    held = f", of which {_money(standing['held'], currency)} is held for runs" if standing["held"] else ""
    return f"{_money(standing['balance'], currency)}{held}"


def _row(row: dict[str, Any], currency: str) -> str:
    when, amount = f"{row['created_at']:%Y-%m-%d %H:%M}", f"{_money(row['amount'], currency):>14}"
    return f"{when}  {amount}  {row['kind']}  {row['note']}".rstrip()


def _money(micro: int, currency: str) -> str:
    amount = Decimal(micro) / _MILLION
    decimals = max(2, -int(amount.normalize().as_tuple().exponent))
    return f"{amount:,.{decimals}f} {currency}"
