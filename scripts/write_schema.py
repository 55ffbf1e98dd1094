"""Writes `schema/greenroom.schema.json` from the models: run it after a change of what a test file may hold."""

from __future__ import annotations

from pathlib import Path

from greenroom.files.schema import schema_text

SCHEMA_FILE = Path(__file__).parent.parent / "schema" / "greenroom.schema.json"


def main() -> None:
    SCHEMA_FILE.parent.mkdir(exist_ok=True)
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
    print(f"wrote {SCHEMA_FILE}")


if __name__ == "__main__":
    main()
