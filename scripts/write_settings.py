"""Writes the table of the service's settings into `docs/operations.md`: run it after a change of a setting."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from greenroom.server.settings import PREFIX, Settings

DOCUMENT = Path(__file__).parent.parent / "docs" / "operations.md"
BEGIN = "<!-- settings: written by scripts/write_settings.py -->"
END = "<!-- end of settings -->"


def table() -> str:
    """Every setting as a row: its variable, its default, what it is."""
    rows = ["| variable | default | what it is |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        description = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {description} |")
    return "\n".join(rows)


def with_table(text: str) -> str:
    """A document with the table in its place.

    Raises:
        ValueError: it has no place for it.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no `{BEGIN}` and `{END}`")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def _default(value: object) -> str:
    match value:
        case None:
            return "—"
        case bool():
            return f"`{str(value).lower()}`"
        case Decimal() | int() | float() | str() | Path():
            return f"`{value}`"
        case _:
            raise TypeError(f"a default of type {type(value).__name__}")


def main() -> None:
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {DOCUMENT}")


if __name__ == "__main__":
    main()
